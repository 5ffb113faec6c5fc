// The page's head: which session it is, what it does and why Rollcall says so, where it runs, and what can be done.
import type { ComponentChildren, VNode } from "preact";
import { isRestorable } from "../../protocol/restorable.ts";
import type { Session } from "../../protocol/roster.ts";
import type { SessionDetail } from "../../protocol/sessionDetail.ts";
import { statusWords } from "../../protocol/statusWords.ts";
import type { PageCommand } from "../../protocol/webviewApi.ts";
import { Icon, statusLooks } from "../shared/icons.tsx";
import { Ago, Clock } from "../shared/times.tsx";

export interface HeaderProps {
  readonly detail: SessionDetail;
  readonly run: (command: PageCommand) => void;
}

export function Header({ detail, run }: HeaderProps): VNode {
  const { session } = detail;
  return (
    <header class="head">
      <h1>{session.title}</h1>
      <p class="status">
        <Icon look={statusLooks[session.status.kind]} more="large" />
        <span class="status-words">{statusWords(session.status, session.liveness)}</span>
        {session.status.since === undefined ? null : (
          <span class="quiet">
            since <Clock at={session.status.since} />, <Ago at={session.status.since} />
          </span>
        )}
      </p>
      <p class="why">{whyOf(session)}</p>
      <p class="actions">
        <Action name="goToTerminal" run={run} disabled={session.liveness.kind === "ended" || session.pid === undefined}>
          Go to Terminal
        </Action>
        {isRestorable(session) ? (
          <Action name="restore" run={run}>
            Restore
          </Action>
        ) : null}
        <Action name="openTranscript" run={run} disabled={session.transcript === undefined}>
          Open Transcript
        </Action>
        <Action name="copyId" run={run}>
          Copy Id
        </Action>
        <Action name="why" run={run}>
          Why as Text
        </Action>
      </p>
      <dl class="facts">
        <Fact name="Liveness">{livenessWords(session)}</Fact>
        <Fact name="Folder">
          {session.cwd ?? "not told by any source"}
          {session.folderGone === true ? " (it is gone)" : ""}
        </Fact>
        {session.startCwd === null || session.startCwd === session.cwd ? null : (
          <Fact name="Began in">{session.startCwd}</Fact>
        )}
        <Fact name="Sandbox">{sandboxWords(session)}</Fact>
        <Fact name="Model">{modelOf(detail)}</Fact>
        <Fact name="Started">
          {session.startedAt === undefined ? "not told by any source" : <When at={session.startedAt} />}
        </Fact>
        {session.endedAt === undefined ? null : (
          <Fact name="Ended">
            <When at={session.endedAt} />
          </Fact>
        )}
        <Fact name="Process">{session.pid === undefined ? "none is known" : String(session.pid)}</Fact>
        <Fact name="Id">
          <code>{session.id}</code>
        </Fact>
        <Fact name="Config folder">{session.configDir}</Fact>
      </dl>
    </header>
  );
}

interface ActionProps {
  readonly name: PageCommand;
  readonly run: (command: PageCommand) => void;
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}

export function Action({ name, run, disabled = false, children }: ActionProps): VNode {
  return (
    <button type="button" onClick={() => run(name)} disabled={disabled}>
      {children}
    </button>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }): VNode {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function When({ at }: { readonly at: string }): VNode {
  return (
    <>
      <Clock at={at} />, <Ago at={at} />
    </>
  );
}

/** The deciding rule's own words. */
function whyOf({ status, evidence }: Session): string {
  const rule = evidence.find(({ source, says }) => source === "rule" && says.startsWith(`${status.rule}: `));
  const says = rule === undefined ? "its reason was not recorded" : rule.says.slice(status.rule.length + 2);
  return `Rule ${status.rule}: ${says}.`;
}

function livenessWords({ liveness }: Session): VNode {
  const how = liveness.how === undefined ? "" : `, ${liveness.how}`;
  const by = liveness.source === "none" ? "no source could tell" : `by ${liveness.source}`;
  return (
    <>
      {`${liveness.kind}${how}, ${by}, `}
      {liveness.stale ? <strong>stale: as of </strong> : "as of "}
      <Ago at={liveness.asOf} />
    </>
  );
}

function sandboxWords({ sandbox, sandboxDerived }: Session): string {
  if (sandbox === null) return "none: on this host";
  return sandboxDerived === true ? `${sandbox} (named after its namespace)` : sandbox;
}

function modelOf({ timeline }: SessionDetail): string {
  if (timeline.state !== "read") return "not known: its transcript was not read";
  return timeline.model ?? "not told in what was read of the transcript";
}
