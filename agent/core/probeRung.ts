// The second rung of the ladder of liveness: what a proven answer from inside a sandbox says of a session there, and
// what the state of the sandbox itself says, since in one that was stopped nothing runs. The rung above is the process
// as the kernel of this host shows it.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import { staleAfterPeriods } from "../../base/limits.ts";
import type { LivenessVerdict, ProbedOnSession } from "./livenessVerdict.ts";
import type { AnswerFacts } from "./probeMemory.ts";
import type { Known } from "../../protocol/observation.ts";
import { probePeriodOf } from "./probePlan.ts";
import type { SandboxState } from "./sandboxListing.ts";

/** In these states nothing runs in a sandbox. */
export function isAtRest(state: SandboxState): boolean {
  return state === "stopped" || state === "failed" || state === "suspended";
}

export function probeRung(
  { session, sandbox, source, answer, about }: ProbedOnSession,
  now: EpochMs,
): LivenessVerdict | undefined {
  if (answer.kind === "never" || answer.kind === "none") return undefined;
  const name = `process ${session.pid} in ${sandbox}`;
  const base = { source, process: undefined, stale: false, how: undefined, endedAt: undefined };
  const ended = (at: EpochMs, how: "exited" | "killed", says: string): LivenessVerdict => ({
    ...base,
    kind: "ended",
    how,
    asOf: at,
    endedAt: at,
    says,
  });
  const { life } = session;
  if (life.kind === "gone") return ended(life.at, life.how, `${name} is gone, as a probe inside found`);
  if (about.kind === "ended") return ended(about.at, "killed", `${name} is gone: ${about.says}`);
  switch (life.kind) {
    case "alive": {
      const silent = silenceOf({ answer, about, source }, now);
      return {
        ...base,
        kind: "live",
        asOf: answer.asOf,
        stale: silent !== undefined,
        says: `${name} runs, start ${session.start}, as a probe inside found${silent === undefined ? "" : `; since then: ${silent}`}`,
      };
    }
    case "unknown":
      return {
        ...base,
        kind: "unknown",
        asOf: answer.asOf,
        stale: answer.kind === "stale",
        says: `a probe in ${sandbox} could not see whether process ${session.pid} lives`,
      };
    default:
      return unreachable(life);
  }
}

function silenceOf(
  { answer, about, source }: Pick<ProbedOnSession, "about" | "source"> & { readonly answer: Answered },
  now: EpochMs,
): string | undefined {
  if (answer.kind === "stale") return answer.cause;
  if (about.kind === "frozen") return "it is paused, so that nobody inside can be asked";
  return now - answer.asOf > staleAfterPeriods * probePeriodOf(source) ? "not asked" : undefined;
}

type Answered = Extract<Known<AnswerFacts>, { readonly asOf: EpochMs; readonly value: AnswerFacts }>;
