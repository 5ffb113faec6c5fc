// How the session's status changed, newest first, each with the rule that decided.
import type { VNode } from "preact";
import type { StatusChange, StatusHistory } from "../../protocol/sessionDetail.ts";
import { statusWords } from "../../protocol/statusWords.ts";
import { Icon, statusLooks } from "../shared/icons.tsx";
import { Quiet, Section } from "../shared/section.tsx";
import { Ago, Clock } from "../shared/times.tsx";

export function StatusChanges({ history }: { readonly history: StatusHistory | undefined }): VNode {
  return (
    <Section id="status-changes" title="Status changes" note="newest first">
      <Content history={history} />
    </Section>
  );
}

function Content({ history }: { readonly history: StatusHistory | undefined }): VNode {
  if (history === undefined) return <Quiet>Unknown: the agent, which keeps them, has not been reached yet.</Quiet>;
  if (history.changes.length === 0) return <Quiet>The agent has seen no change of this session.</Quiet>;
  return (
    <>
      <ol class="list">
        {history.changes.toReversed().map((change) => (
          <li key={`${change.at} ${change.kind} ${change.rule}`} class="entry">
            <Change change={change} />
          </li>
        ))}
      </ol>
      {history.dropped === 0 ? null : <Quiet>{history.dropped} earlier changes are kept no more.</Quiet>}
    </>
  );
}

function Change({ change }: { readonly change: StatusChange }): VNode {
  const since = change.since ?? change.at;
  return (
    <>
      <p class="line">
        <Icon look={statusLooks[change.kind]} />
        <span class="words">{statusWords(change, change.liveness)}</span>
        <span class="clock">
          <Clock at={since} />, <Ago at={since} />
        </span>
      </p>
      <p class="quiet">
        {`${change.rule}${change.says === undefined ? "" : `: ${change.says}`}; liveness ${change.liveness.kind}`}
        {change.since === undefined ? " (as seen by the agent)" : ""}
      </p>
    </>
  );
}
