// Why a row says what it says: each source with its words and their age, the rule that decided, the rules that were
// refuted. Tooltip, "Why" document and `rollcall why` print it.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import { momentOf } from "../../protocol/files/tolerant.ts";
import type { Evidence } from "../../protocol/roster.ts";
import type { HookStatus } from "./hookStatus.ts";
import { iso } from "./isoTime.ts";
import type { LivenessVerdict } from "./livenessVerdict.ts";
import type { TranscriptFacts } from "./monitorEvent.ts";
import { probeRung } from "./probeRung.ts";
import type { SessionDraft } from "./sessionDraft.ts";
import type { NewestRecord } from "./sessionRecord.ts";
import type { RecordedSession } from "./recorded.ts";
import { shortText } from "./shortText.ts";
import type { StatusVerdict } from "./status.ts";
import type { StatusFacts } from "./statusFacts.ts";
import type { TurnPhase } from "./turns.ts";

export function evidenceOf(
  draft: SessionDraft,
  liveness: LivenessVerdict,
  newest: NewestRecord | undefined,
  status: StatusVerdict & Pick<StatusFacts, "hooks">,
  now: EpochMs,
): Evidence[] {
  const evidence: Evidence[] = [];
  const add = (source: string, says: string, at: EpochMs, asOf: EpochMs): void => {
    if (evidence.length < limits.evidencePerRow)
      evidence.push({ source, says, at: iso(at), asOf: iso(Math.min(asOf, now)) });
  };
  add(liveness.source, liveness.says, liveness.asOf, liveness.asOf);
  const hint = liveness.process?.facts.sandboxNamed;
  if (hint !== undefined)
    add(
      liveness.source,
      `its environment names the sandbox ${hint}, which proves nothing`,
      liveness.asOf,
      liveness.asOf,
    );
  if (draft.probed !== undefined && liveness.source !== draft.probed.source) {
    const verdict = probeRung(draft.probed, now);
    if (verdict !== undefined) add(verdict.source, verdict.says, verdict.asOf, verdict.asOf);
  }
  if (newest !== undefined) {
    const stale = newest.memory?.known.kind === "stale" ? newest.memory.known : undefined;
    const removed = newest.memory === undefined ? "the record that was here said: " : "";
    const how = newest.memory?.goneAt === undefined ? "unreadable" : "gone";
    const suffix = stale === undefined ? "" : `; ${how} since ${iso(stale.since)}: ${stale.cause}`;
    add(
      `pid-records:${draft.configDir}`,
      `${removed}${recordWords(newest.record)}${suffix}`,
      newest.asOf,
      newest.record.statusUpdatedAt ?? newest.asOf,
    );
  }
  const { transcript } = draft;
  if (transcript !== undefined) {
    const suffix =
      draft.transcriptStale === undefined
        ? ""
        : `; unreadable since ${iso(draft.transcriptStale.since)}: ${draft.transcriptStale.cause}`;
    const readAt = draft.transcriptReadAt ?? transcript.modifiedAt;
    add(
      `transcripts:${draft.configDir}`,
      `${transcriptWords(transcript)}${suffix}`,
      readAt,
      transcript.fold.lastRecordAt ?? transcript.modifiedAt,
    );
  }
  if (draft.hooks !== undefined && status.hooks !== undefined) {
    const { lastAt } = status.hooks;
    add("hooks", hookWords(status.hooks), lastAt, lastAt);
  }
  if (draft.recorded !== undefined) {
    const { registry, droppedAt } = draft.recorded;
    add(registry.source, recordedWords(draft.recorded), registry.asOf, registry.asOf);
    if (droppedAt !== undefined)
      add(
        registry.source,
        `dropped from the registry at ${timeWords(droppedAt, now)} by another writer; what was recorded is kept`,
        registry.asOf,
        droppedAt,
      );
  }
  add("rule", `${status.rule}: ${status.says}`, now, status.since ?? now);
  for (const { rule, by } of status.refuted) add("rule", `${rule} does not hold: ${by}`, now, now);
  return evidence;
}

function recordWords(record: PidRecord): string {
  const status = record.status === undefined ? "no status yet" : `status ${record.status}`;
  return `${status}${record.waitingFor === undefined ? "" : `, waiting for ${record.waitingFor}`}`;
}

function hookWords({ lastWhat, dead, asks, turn }: HookStatus): string {
  if (dead !== undefined) return `the last was ${lastWhat}; not believed: ${dead}`;
  const open = asks.map(({ tool }) => shortText(tool) ?? "a tool").join(", ");
  const asked = open === "" ? "" : `, asks for ${open}`;
  return `the last was ${shortText(lastWhat) ?? "unnamed"}${turn.kind === "none" ? "" : `, the turn ${turnWords[turn.kind]}`}${asked}`;
}

const turnWords = { running: "runs", ended: "ended", failed: "failed" } as const;

function recordedWords({ sandbox, entry, departedAt, registry }: RecordedSession): string {
  const began = entry.started_at_ms === undefined ? "" : `, started ${momentWords(entry.started_at_ms)}`;
  const left = departedAt === undefined ? "" : `, departed ${momentWords(departedAt)}`;
  const suffix =
    registry.stale === undefined ? "" : `; unreadable since ${iso(registry.stale.since)}: ${registry.stale.cause}`;
  return `recorded in sandbox ${shortText(sandbox) ?? JSON.stringify(sandbox)}${began}${left}${suffix}`;
}

/** The date where it is of another day. */
function timeWords(at: EpochMs, now: EpochMs): string {
  const [date = "", time = ""] = iso(Math.min(at, now)).slice(0, 19).split("T");
  return iso(now).startsWith(date) ? time : `${date} ${time}`;
}

function transcriptWords(transcript: TranscriptFacts): string {
  const { turns } = transcript.fold;
  const open =
    turns.openCalls.size === 0 ? "" : `, ${[...turns.openCalls.values()].map((call) => call.tool).join(", ")} open`;
  const capped = transcript.windowCapped ? ", read back to the cap without a turn's begin" : "";
  return `${phaseWords(turns.phase)}${open}${capped}`;
}

function phaseWords(phase: TurnPhase): string {
  switch (phase.kind) {
    case "none":
      return "no turn";
    case "running":
      return "a turn runs";
    case "ended":
      return phase.how === "interrupted" ? "the last turn was interrupted" : "the last turn ended";
    case "failed":
      return `the last turn failed: ${shortText(phase.says) ?? phase.why}`;
    default:
      return unreachable(phase);
  }
}

function momentWords(stamp: EpochMs): string {
  return momentOf(stamp) === undefined ? "at a time that cannot be read" : iso(stamp);
}
