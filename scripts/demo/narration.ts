// What the terminal tells a newcomer, in the order of the story. A beat is told when the roster itself shows what it
// speaks of, so that nothing is promised that the product does not show.
import type { Roster, Session, SourceState } from "../../protocol/roster.ts";
import { registryHealedAt, registryTornAt, titles, yesterday } from "./story.ts";

export interface Beat {
  readonly id: string;
  /** Not told before this second of the round, which keeps the order. */
  readonly from: number;
  readonly holds: (roster: Roster) => boolean;
  readonly says: string;
}

export const beats: readonly Beat[] = [
  {
    id: "working",
    from: 1,
    holds: row(titles.working, ({ status, openTurns }) => status.kind === "working" && openTurns.length > 0),
    says: `“${titles.working}” works: its row names the tool that runs and says since when.`,
  },
  {
    id: "permission",
    from: 3,
    holds: row(titles.permission, needs("permission")),
    says: `“${titles.permission}” needs your permission: see the bell, the badge of Rollcall's icon, and the status bar.`,
  },
  {
    id: "question",
    from: 8,
    holds: row(titles.question, needs("question")),
    says: `“${titles.question}” asks you a question. It rises to the top, and stays there until it is answered.`,
  },
  {
    id: "sandboxes",
    from: 10,
    holds: (roster) => sandboxed(roster, titles.blue) && sandboxed(roster, titles.green),
    says: `“${titles.blue}” and “${titles.green}” run in two sandboxes, have the same pid there and share one config folder: still two rows, each with its own sandbox.`,
  },
  {
    id: "plan",
    from: 13,
    holds: row(titles.plan, needs("plan")),
    says: `“${titles.plan}” shows a plan and waits for your word.`,
  },
  {
    id: "idle",
    from: 16,
    holds: row(titles.idle, ({ status }) => status.kind === "idle"),
    says: `“${titles.waiting}” has a title that its user gave, and waits; “${titles.idle}” has been idle for long. Neither needs you.`,
  },
  {
    id: "subagents",
    from: 19,
    holds: row(titles.subagents, ({ background }) => background.filter(({ kind }) => kind === "subagent").length > 1),
    says: `“${titles.subagents}” answered, yet its subagents go on: open its row to see them.`,
  },
  {
    id: "background",
    from: 25,
    holds: row(titles.background, ({ status }) => status.kind === "background"),
    says: `“${titles.background}” left a command running in the background: not idle, not working for you.`,
  },
  {
    id: "error",
    from: 31,
    holds: row(titles.error, ({ status }) => status.kind === "error"),
    says: `“${titles.error}” failed: the usage limit is reached. It says so until its next turn.`,
  },
  {
    id: "killed",
    from: 36,
    holds: row(titles.killed, ({ liveness }) => liveness.how === "killed"),
    says: `“${titles.killed}” was killed in the middle of a command: its row says “ended: killed”, and the open call is abandoned, since no answer will come. Click the row: it says how Rollcall knows.`,
  },
  {
    id: "cleared",
    from: 44,
    holds: row(titles.cleared, ({ liveness }) => liveness.how === "rotated"),
    says: `“${titles.cleared}” was cleared: its process went on with another conversation, so this one ended, rotated.`,
  },
  {
    id: "interrupted",
    from: 50,
    holds: row(titles.interrupted, ({ status }) => status.kind === "waiting"),
    says: `“${titles.interrupted}” was interrupted with Escape: its turn is over, it waits for you.`,
  },
  {
    id: "torn",
    from: registryTornAt,
    holds: (roster) => registryIs(roster, "unobserved") && yesterdaysRows(roster, true),
    says: `The file that records the sandboxes' sessions was cut in half. No row is gone: “${titles.blueYesterday}”, which only this file knows, stays, marked stale, and the status bar's tooltip says which source is silent.`,
  },
  {
    id: "answered",
    from: 60,
    holds: row(titles.question, ({ status }) => status.kind !== "needs-you"),
    says: `Somebody answered: “${titles.question}” no longer needs you, and the badge counts down.`,
  },
  {
    id: "healed",
    from: registryHealedAt,
    holds: (roster) => registryIs(roster, "observed") && yesterdaysRows(roster, false),
    says: "The file is whole again: its source answers, and the marks are gone.",
  },
];

export interface Told {
  readonly round: number;
  readonly ids: readonly string[];
}

export const nothingTold: Told = { round: 0, ids: [] };

export interface Moment {
  readonly round: number;
  readonly second: number;
}

/** The lines to say now, and what has been told with them. */
export function tell(
  told: Told,
  roster: Roster,
  now: Moment,
): { readonly told: Told; readonly lines: readonly string[] } {
  const begun: Told = now.round === told.round ? told : { round: now.round, ids: [] };
  const due = beats.filter(({ id, from, holds }) => !begun.ids.includes(id) && now.second >= from && holds(roster));
  const lines = due.map(({ says }, index) => `${begun.ids.length + index + 1}. ${says}`);
  const opening = begun === told ? [] : [`The story begins again (round ${now.round + 1}).`];
  return { told: { ...begun, ids: [...begun.ids, ...due.map(({ id }) => id)] }, lines: [...opening, ...lines] };
}

function row(title: string, holds: (session: Session) => boolean): (roster: Roster) => boolean {
  return (roster) => roster.sessions.some((session) => session.title === title && holds(session));
}

function needs(why: NonNullable<Session["status"]["why"]>): (session: Session) => boolean {
  return ({ status }) => status.kind === "needs-you" && status.why === why;
}

function registryIs(roster: Roster, state: SourceState["state"]): boolean {
  return roster.sources.some((source) => source.id === "registry" && source.state === state);
}

/** That all of them are there, each marked as stale or not. */
function yesterdaysRows(roster: Roster, stale: boolean): boolean {
  return yesterday.every(({ title }) => row(title, ({ liveness }) => liveness.stale === stale)(roster));
}

function sandboxed(roster: Roster, title: string): boolean {
  return roster.sessions.some((session) => session.title === title && session.sandbox !== null);
}
