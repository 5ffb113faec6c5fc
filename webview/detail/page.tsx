// The whole page of one session.
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { statusWords } from "../../protocol/statusWords.ts";
import type { PageCommand } from "../../protocol/webviewApi.ts";
import { Background } from "./background.tsx";
import { Banner } from "./banner.tsx";
import type { Disclosure } from "./disclosure.ts";
import { Evidence } from "./evidence.tsx";
import { Header } from "./header.tsx";
import type { PageModel } from "./pageModel.ts";
import { Registry } from "./registry.tsx";
import { StatusChanges } from "./statusChanges.tsx";
import { Timeline } from "./timeline.tsx";

export interface PageProps {
  readonly model: PageModel;
  readonly disclosure: Disclosure;
  readonly run: (command: PageCommand) => void;
}

export function Page({ model, disclosure, run }: PageProps): VNode {
  if (model.kind === "nothing") {
    return (
      <main>
        <Banner link={model.link} detail={undefined} run={run} />
        <p class="quiet">
          {model.refused === undefined
            ? "Asking the agent for this session…"
            : `Nothing is known of this session: ${model.refused}.`}
        </p>
      </main>
    );
  }
  const { detail, link } = model;
  const { session } = detail;
  const isStale = link.state !== "live" || detail.leftAt !== undefined;
  return (
    <main class={isStale ? "page is-stale" : "page"}>
      <Announcer words={`${session.title}: ${statusWords(session.status, session.liveness)}`} />
      <Banner link={link} detail={detail} run={run} />
      <Header detail={detail} run={run} />
      <div class="columns">
        <div class="column main">
          <Timeline timeline={detail.timeline} disclosure={disclosure} run={run} />
        </div>
        <div class="column side">
          <StatusChanges history={detail.history} />
          <Evidence detail={detail} />
          <Background session={session} />
          <Registry registry={session.registry} />
        </div>
      </div>
    </main>
  );
}

/** Says a new status to a screen reader, when it is at leisure; the one with which the page began is no news. */
function Announcer({ words }: { readonly words: string }): VNode {
  const element = useRef<HTMLParagraphElement>(null);
  const said = useRef(words);
  useEffect(() => {
    if (said.current === words || element.current === null) return;
    said.current = words;
    element.current.textContent = words;
  }, [words]);
  return <p ref={element} class="only-spoken" aria-live="polite" />;
}
