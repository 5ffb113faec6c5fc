// An act on what the registry records of a session, which the agent alone writes: asked for once more before, refused
// with the reason where it is not legal now, and taken back for who finds that it was the wrong one.
import { window } from "vscode";
import type { Session } from "../../protocol/roster.ts";
import type { RosterState } from "../core/rosterState.ts";
import type { SessionTarget } from "./sessionTarget.ts";

export interface RecordedActOptions {
  readonly target: SessionTarget;
  readonly state: () => RosterState;
  /** @throws RpcError with the registry's own words where it was not written, and is as it was */
  readonly write: (recorded: RecordedId) => Promise<unknown>;
  /** Puts back what the act took out; missing where nothing was. */
  readonly undo?: (recorded: RecordedId) => Promise<unknown>;
}

/** One conversation may be recorded in two sandboxes, each a row of its own. */
export interface RecordedId {
  readonly session: string;
  readonly sandbox?: string;
}

export interface RecordedAct {
  readonly title: string;
  /** The button that does it. */
  readonly verb: string;
  readonly done: string;
  /** Why it cannot be done to this session; undefined where it can. */
  readonly refusal: (session: Session) => string | undefined;
  /** What follows, in the question. */
  readonly consequence: (session: Session) => string;
}

export async function actOnRecorded(node: unknown, act: RecordedAct, options: RecordedActOptions): Promise<void> {
  const session = await options.target(node, {
    title: act.title,
    filter: (each) => act.refusal(each) === undefined,
  });
  if (session === undefined) return;
  const refusal = act.refusal(session) ?? whileAway(options.state());
  if (refusal !== undefined) {
    void window.showInformationMessage(refusal);
    return;
  }
  const where = session.sandbox === null ? "" : ` in ${session.sandbox}`;
  const question = `${act.title}: "${session.title}"${where}?`;
  const detail = act.consequence(session);
  if ((await window.showWarningMessage(question, { modal: true, detail }, act.verb)) !== act.verb) return;
  const id = recordedId(session);
  await options.write(id);
  const done = `${act.done}: ${session.title}`;
  if (options.undo === undefined) window.setStatusBarMessage(done, 5_000);
  else if ((await window.showInformationMessage(`${done}.`, "Undo")) === "Undo") {
    await options.undo(id);
    window.setStatusBarMessage(`Recorded again: ${session.title}`, 5_000);
  }
}

export function recordedId({ id, sandbox, sandboxDerived }: Session): RecordedId {
  return { session: id, ...(sandbox === null || sandboxDerived === true ? {} : { sandbox }) };
}

function whileAway(state: RosterState): string | undefined {
  if (state.kind === "live") return undefined;
  return "The agent is away, and it alone writes the registry. It is started again by itself; try again then.";
}
