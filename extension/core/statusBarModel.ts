// The status bar's entry and the badge: how many live, work and need you, and whether that is of now. A number that
// rests on silent sources or on a gone agent carries its mark and age.
import { coarseAgo, coarseSpan } from "../../base/coarseAge.ts";
import type { EpochMs } from "../../base/clock.ts";
import type { Roster, StatusKind } from "../../protocol/roster.ts";
import { coverageOf, silentSources } from "./answers.ts";
import { lastRoster, type RosterState } from "./rosterState.ts";
import { escapeMarkdown, sourceLine, type TimeFormat } from "./tooltip.ts";
import { welcomeOf } from "./welcomeModel.ts";

export interface StatusBarModel {
  readonly text: string;
  /** Markdown. */
  readonly tooltip: string;
  /** What a screen reader says. */
  readonly spoken: string;
  readonly warning: boolean;
}

export interface Counts {
  readonly live: number;
  readonly working: number;
  readonly needsYou: number;
  readonly failed: number;
}

const workingKinds: ReadonlySet<StatusKind> = new Set(["working", "compacting", "background"]);

export function countSessions(roster: Roster): Counts {
  const count = (kinds: ReadonlySet<StatusKind>): number =>
    roster.sessions.filter((session) => kinds.has(session.status.kind)).length;
  return {
    live: roster.sessions.filter((session) => session.liveness.kind === "live").length,
    working: count(workingKinds),
    needsYou: count(new Set<StatusKind>(["needs-you"])),
    failed: count(new Set<StatusKind>(["error"])),
  };
}

export function statusBarModel(state: RosterState, now: EpochMs, format: TimeFormat): StatusBarModel {
  const counts = countSessions(lastRoster(state)?.roster ?? emptyRoster);
  const words = headline(state, counts, now);
  const stale = staleMark(state, now);
  const icon = state.kind === "connecting" ? "$(sync~spin)" : stale === undefined ? "$(person)" : "$(warning)";
  const parts = stale === undefined ? words : [...words, stale];
  return {
    text: `${icon} ${parts.join(" · ")}`,
    tooltip: tooltipOf(state, now, format),
    spoken: `Rollcall: ${parts.join(", ")}`,
    warning: counts.needsYou > 0,
  };
}

/** The number on the view's icon: sessions that need you. */
export function badgeOf(state: RosterState): { readonly value: number; readonly tooltip: string } | undefined {
  const { needsYou } = countSessions(lastRoster(state)?.roster ?? emptyRoster);
  if (needsYou === 0) return undefined;
  const words = needsYou === 1 ? "1 session needs you" : `${needsYou} sessions need you`;
  return { value: needsYou, tooltip: state.kind === "live" ? words : `${words}, as last heard` };
}

/** One line above the tree while it shows what is not of now; undefined while all is fresh. */
export function staleMessage(state: RosterState, now: EpochMs): string | undefined {
  if (welcomeOf(state, now) !== "sessions") return undefined;
  switch (state.kind) {
    case "connecting":
      return `Connecting to the agent; this was heard ${heardWords(state.last?.heardAt, now)}.`;
    case "gone":
      return `Agent gone; last heard ${heardWords(state.last?.heardAt, now)}. It is started again by itself.`;
    case "live": {
      const silent = silentSources(state.roster);
      if (silent.length > 0) return `Stale: ${silent.map((source) => source.id).join(", ")} does not answer.`;
      return state.retained.length > 0 ? "Some rows were not looked at again yet." : undefined;
    }
  }
}

function headline(state: RosterState, counts: Counts, now: EpochMs): string[] {
  switch (welcomeOf(state, now)) {
    case "connecting":
      return ["connecting"];
    case "cannot-tell":
      return ["cannot tell"];
    case "none":
      return ["no sessions"];
    case "sessions":
      return [
        `${counts.live} live`,
        ...(counts.working > 0 ? [`${counts.working} working`] : []),
        ...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
        ...(counts.needsYou > 0 ? [`${counts.needsYou} ${counts.needsYou === 1 ? "needs" : "need"} you`] : []),
      ];
  }
}

/** How old the numbers are; `incomplete` where a source has never answered, so that there is no age. */
function staleMark(state: RosterState, now: EpochMs): string | undefined {
  if (state.kind !== "live") {
    return state.last === undefined ? undefined : `stale ${coarseSpan(now - state.last.heardAt)}`;
  }
  const silent = silentSources(state.roster);
  if (silent.length === 0 || welcomeOf(state, now) === "connecting") return undefined;
  const asOf = silent.flatMap((source) => (source.asOf === undefined ? [] : [Date.parse(source.asOf)]));
  return asOf.length === 0 ? "incomplete" : `stale ${coarseSpan(now - Math.min(...asOf))}`;
}

function tooltipOf(state: RosterState, now: EpochMs, format: TimeFormat): string {
  const lines = ["**Rollcall**", agentLine(state, now, format)];
  const last = lastRoster(state);
  if (last === undefined) return lines.join("\n\n");
  const { roster } = last;
  const confirmedAt = state.kind === "live" ? state.heardAt : undefined;
  const sources = roster.sources.map((source) => sourceLine(source, confirmedAt, format));
  lines.push("What each source last said:", sources.length === 0 ? "- nothing yet" : sources.join("\n"));
  if (state.kind === "live") {
    const coverage = coverageOf(roster, state.configDirs);
    if (coverage.kind === "pending") lines.push(`Not asked yet: ${escapeMarkdown(coverage.missing.join(", "))}`);
  }
  const skipped = roster.skipped.reduce((sum, entry) => sum + entry.count, 0);
  if (skipped > 0) lines.push(`Read over: ${skipped}, see *Rollcall: Open Agent Log*`);
  return lines.join("\n\n");
}

function agentLine(state: RosterState, now: EpochMs, format: TimeFormat): string {
  switch (state.kind) {
    case "connecting":
      return "Connecting to the agent.";
    case "live":
      return `The agent last answered at ${format(state.heardAt)}.`;
    case "gone": {
      const heard = heardWords(state.last?.heardAt, now);
      return `**The agent is gone** since ${format(state.since)}: ${escapeMarkdown(state.cause)}. Last heard ${heard}.`;
    }
  }
}

function heardWords(heardAt: EpochMs | undefined, now: EpochMs): string {
  return heardAt === undefined ? "never" : coarseAgo(now - heardAt);
}

const emptyRoster: Roster = {
  version: 1,
  observedAt: "1970-01-01T00:00:00.000Z",
  sources: [],
  nodes: [],
  sandboxes: [],
  sessions: [],
  skipped: [],
};
