// What the coding agent hands to a hook, as far as Rollcall asks for it: fields of an unexpected type or size count as
// not told, and what a prompt or a tool says is not kept. The payload tells neither a time nor a process: the spool's
// file does.
import type { EpochMs } from "../../base/clock.ts";
import { hookEventNames, type HookEventName } from "../hookEvents.ts";
import { safeIdPattern } from "../ids.ts";
import { textOf, toldOf, withoutUntold, type Told } from "./tolerant.ts";

export interface HookEvent {
  readonly name: HookEventName;
  readonly sessionId: string;
  /** When the event's file was written. */
  readonly at: EpochMs;
  /** As the session's own pid namespace counts; undefined where the command was not told. */
  readonly pid?: number | undefined;
  readonly transcript?: string | undefined;
  readonly cwd?: string | undefined;
  readonly promptId?: string | undefined;
  /** The subagent that it happened in. */
  readonly agentId?: string | undefined;
  readonly agentType?: string | undefined;
  readonly tool?: string | undefined;
  readonly toolUseId?: string | undefined;
  /** The same for the same input of a tool, which is how a question is found that names no call. */
  readonly inputMark?: string | undefined;
  /** SessionStart's source, SessionEnd's reason. */
  readonly reason?: string | undefined;
  readonly title?: string | undefined;
  readonly notification?: string | undefined;
  /** StopFailure's kind. */
  readonly error?: string | undefined;
  /** Words of a failure, which may tell until when a limit holds; of no other event. */
  readonly says?: string | undefined;
  /** What runs on after a turn's end; missing where the event does not tell. */
  readonly background?: readonly HookTask[] | undefined;
}

export interface HookTask {
  readonly id: string;
  readonly type: string;
}

const pathChars = 4_096;
const wordChars = 200;
const saysChars = 1_000;
const tasksMost = 200;
const names: ReadonlySet<string> = new Set(hookEventNames);

export type HookEventRead =
  | { readonly kind: "read"; readonly event: Omit<HookEvent, "inputMark">; readonly input: unknown }
  | { readonly kind: "refused"; readonly why: string };

/** @param at when the event's file was written */
export function readHookEvent(value: unknown, at: EpochMs, pid: number | undefined): HookEventRead {
  const told = toldOf(value);
  if (told === undefined) return { kind: "refused", why: "a payload that is no object" };
  const name = told["hook_event_name"];
  if (typeof name !== "string") return { kind: "refused", why: "a payload without an event's name" };
  if (!names.has(name)) return { kind: "refused", why: "an event that is not asked for" };
  const sessionId = told["session_id"];
  if (typeof sessionId !== "string" || !safeIdPattern.test(sessionId))
    return { kind: "refused", why: "a session's id that is none" };
  const word = (key: string): string | undefined => textOf(told[key], wordChars);
  const event = withoutUntold({
    name: name as HookEventName,
    sessionId,
    at,
    pid,
    transcript: textOf(told["transcript_path"], pathChars),
    cwd: textOf(told["cwd"], pathChars),
    promptId: word("prompt_id"),
    agentId: word("agent_id"),
    agentType: word("agent_type"),
    tool: word("tool_name"),
    toolUseId: word("tool_use_id"),
    reason: word("source") ?? word("reason"),
    title: word("session_title"),
    notification: word("notification_type"),
    error: name === "StopFailure" ? word("error") : undefined,
    says: name === "StopFailure" ? shortened(told["last_assistant_message"]) : undefined,
    background: tasksOf(told["background_tasks"]),
  });
  return { kind: "read", event, input: told["tool_input"] };
}

function shortened(value: unknown): string | undefined {
  return typeof value === "string" ? value.slice(0, saysChars) : undefined;
}

function tasksOf(value: unknown): readonly HookTask[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, tasksMost).flatMap((item: unknown) => {
    const told: Told | undefined = toldOf(item);
    const id = textOf(told?.["id"], wordChars);
    const status = textOf(told?.["status"], wordChars);
    if (id === undefined || (status !== undefined && status !== "running" && status !== "pending")) return [];
    return [{ id, type: textOf(told?.["type"], wordChars) ?? "other" }];
  });
}
