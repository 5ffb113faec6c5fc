// Which session a command is meant for: that of the tree node or page it was called on, else one that the user picks.
// While the agent is gone the last roster is offered, marked as such.
import { window, type QuickPickItem } from "vscode";
import { coarseAgo } from "../../base/coarseAge.ts";
import type { Scheduler } from "../../base/clock.ts";
import { sessionSchema, type Session } from "../../protocol/roster.ts";
import { statusWords } from "../../protocol/statusWords.ts";
import { lastRoster, type RosterState } from "../core/rosterState.ts";
import { compareSessions } from "../core/treeModel.ts";
import { welcomeOf } from "../core/welcomeModel.ts";

export interface SessionTargetOptions {
  readonly state: () => RosterState;
  readonly sessionOf: (nodeId: string) => Session | undefined;
  readonly scheduler: Scheduler;
}

export interface TargetWish {
  readonly title: string;
  /** Leaves out sessions that the command has no use for. */
  readonly filter?: (session: Session) => boolean;
}

/** What a click on a tree node hands to a command: a look in passing, unlike a choice from a menu. */
export class ClickedNode {
  readonly nodeId: string;

  constructor(nodeId: string) {
    this.nodeId = nodeId;
  }
}

/** Resolves to undefined when the user picked none. */
export type SessionTarget = (target: unknown, wish: TargetWish) => Promise<Session | undefined>;

interface SessionPick extends QuickPickItem {
  readonly session: Session;
}

export function sessionTarget(options: SessionTargetOptions): SessionTarget {
  return async (target, wish) => {
    const nodeId = target instanceof ClickedNode ? target.nodeId : target;
    const named = typeof nodeId === "string" ? options.sessionOf(nodeId) : sessionIn(nodeId);
    return named ?? pickSession(options, wish);
  };
}

/** A session's own page calls commands with the session as it shows it. */
function sessionIn(target: unknown): Session | undefined {
  const named = typeof target === "object" && target !== null && "session" in target ? target.session : undefined;
  const parsed = sessionSchema.safeParse(named);
  return parsed.success ? parsed.data : undefined;
}

async function pickSession(options: SessionTargetOptions, wish: TargetWish): Promise<Session | undefined> {
  const state = options.state();
  const now = options.scheduler.now();
  const last = lastRoster(state);
  const sessions = (last?.roster.sessions ?? []).filter(wish.filter ?? (() => true));
  if (last === undefined || sessions.length === 0) {
    const none = welcomeOf(state, now) === "none" || welcomeOf(state, now) === "sessions";
    void window.showInformationMessage(
      none ? "Rollcall knows no session for this." : "Rollcall cannot tell yet which sessions there are.",
    );
    return undefined;
  }
  const picks = [...sessions].sort(compareSessions).map((session): SessionPick => ({
    label: session.title,
    description: statusWords(session.status, session.liveness),
    detail: [session.sandbox, session.cwd].filter((part) => part !== null).join(" · "),
    session,
  }));
  const stale = state.kind === "live" ? "" : `, as heard ${coarseAgo(now - last.heardAt)}`;
  const picked = await window.showQuickPick(picks, {
    title: wish.title,
    placeHolder: `Choose a session${stale}`,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.session;
}
