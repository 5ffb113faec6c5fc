// What stands above all else while the page is older than now: why, since when, and what to do about it.
import type { ComponentChildren, VNode } from "preact";
import type { SessionDetail } from "../../protocol/sessionDetail.ts";
import type { AgentLink, PageCommand } from "../../protocol/webviewApi.ts";
import { Icon, warningLook } from "../shared/icons.tsx";
import { Ago } from "../shared/times.tsx";
import { Action } from "./header.tsx";

export interface BannerProps {
  readonly link: AgentLink;
  readonly detail: SessionDetail | undefined;
  readonly run: (command: PageCommand) => void;
}

export function Banner({ link, detail, run }: BannerProps): VNode | null {
  if (link.state === "gone") {
    const heardAt = link.heardAt === undefined ? undefined : new Date(link.heardAt).toISOString();
    return (
      <Strip>
        <p>
          <strong>Stale.</strong> The agent is gone: {link.cause}.{" "}
          {heardAt === undefined ? (
            "Nothing was heard from one yet."
          ) : (
            <>
              All below is as heard <Ago at={heardAt} />.
            </>
          )}{" "}
          It is tried again by itself.
        </p>
        <p class="actions">
          <Action name="refresh" run={run}>
            Try Again Now
          </Action>
          <Action name="openLog" run={run}>
            Open Log
          </Action>
        </p>
      </Strip>
    );
  }
  if (link.state === "connecting") {
    return (
      <Strip>
        <p>Connecting to the agent. {detail === undefined ? "" : "Until then this is what was heard last."}</p>
      </Strip>
    );
  }
  if (detail?.leftAt !== undefined) {
    return (
      <Strip>
        <p>
          <strong>No longer in the roster</strong>, seen <Ago at={detail.leftAt} />: nothing touched this session for a
          day, or its source answered without it. What was last known stays here; close the page when you need it no
          more.
        </p>
      </Strip>
    );
  }
  return null;
}

function Strip({ children }: { readonly children: ComponentChildren }): VNode {
  return (
    <aside class="banner" aria-label="State of this page">
      <Icon look={warningLook} />
      <div>{children}</div>
    </aside>
  );
}
