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
        {dated(history.changes)
          .toReversed()
          .map(({ change, time }) => (
            <li key={`${change.at} ${change.kind} ${change.rule}`} class="entry">
              <Change change={change} time={time} />
            </li>
          ))}
      </ol>
      {history.dropped === 0 ? null : <Quiet>{history.dropped} earlier changes are kept no more.</Quiet>}
    </>
  );
}

interface Dated {
  readonly change: StatusChange;
  readonly time: string;
}

/**
 * Each from when it is so. One whose cause is older than the change before it, such as a background task that a short
 * turn left running, came when the agent saw it.
 */
function dated(changes: readonly StatusChange[]): readonly Dated[] {
  let before = Number.NEGATIVE_INFINITY;
  return changes.map((change) => {
    const since = change.since ?? change.at;
    const time = Date.parse(since) < before ? change.at : since;
    before = Math.max(before, Date.parse(time));
    return { change, time };
  });
}

function Change({ change, time }: Dated): VNode {
  return (
    <>
      <p class="line">
        <Icon look={statusLooks[change.kind]} />
        <span class="words">{statusWords(change, change.liveness)}</span>
        <span class="clock">
          <Clock at={time} />, <Ago at={time} />
        </span>
      </p>
      <p class="quiet">
        {`${change.rule}${change.says === undefined ? "" : `: ${change.says}`}; liveness ${change.liveness.kind}`}
        {change.since === undefined ? " (as seen by the agent)" : ""}
      </p>
    </>
  );
}
