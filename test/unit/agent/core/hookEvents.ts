// Hook events of one session, as a spool tells them, from which the tests build what is known.
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import type { HookEvent } from "../../../../protocol/files/hookEvent.ts";
import { observed } from "../../../../protocol/observation.ts";
import { configDir, pathOf, second } from "./builders.ts";

export type Told = Partial<Omit<HookEvent, "name" | "at">>;

/** At so many seconds after the tests' begin. */
export function hook(name: HookEvent["name"], at: number, told: Told = {}): HookEvent {
  const sessionId = told.sessionId ?? "s1";
  return {
    name,
    sessionId,
    at: second(at),
    pid: 20,
    transcript: pathOf(sessionId, configDir),
    cwd: "/home/dev/app",
    ...told,
  };
}

export const start = (at: number, reason = "startup", told: Told = {}): HookEvent =>
  hook("SessionStart", at, { reason, ...told });
export const end = (at: number, reason = "prompt_input_exit", told: Told = {}): HookEvent =>
  hook("SessionEnd", at, { reason, ...told });
export const prompt = (at: number, promptId = "p1", told: Told = {}): HookEvent =>
  hook("UserPromptSubmit", at, { promptId, ...told });
export const call = (at: number, toolUseId: string, tool = "Bash", told: Told = {}): HookEvent =>
  hook("PreToolUse", at, { toolUseId, tool, inputMark: `${tool} input`, promptId: "p1", ...told });
export const result = (at: number, toolUseId: string, tool = "Bash", told: Told = {}): HookEvent =>
  hook("PostToolUse", at, { toolUseId, tool, inputMark: `${tool} input`, promptId: "p1", ...told });
export const ask = (at: number, tool = "Bash", told: Told = {}): HookEvent =>
  hook("PermissionRequest", at, { tool, inputMark: `${tool} input`, promptId: "p1", ...told });
export const stop = (at: number, told: Told = {}): HookEvent =>
  hook("Stop", at, { promptId: "p1", background: [], ...told });
export const failed = (at: number, error: string, told: Told = {}): HookEvent =>
  hook("StopFailure", at, { promptId: "p1", error, ...told });
export const notice = (at: number, notification: string, told: Told = {}): HookEvent =>
  hook("Notification", at, { notification, promptId: "p1", ...told });

export function spooled(events: readonly HookEvent[], spool = "host"): MonitorEvent {
  return { kind: "hook-spool", read: { spool, events, refused: new Map() } };
}

export const spools = (at: number): MonitorEvent => ({
  kind: "hooks",
  spools: observed<"answers">("hooks", second(at), "answers"),
});
