// Which events of the coding agent Rollcall asks for, and how: what a session's status follows from. Not those that
// replace what the agent does (WorktreeCreate), tell only what others tell too (PostToolBatch), or come with every line
// that is shown (MessageDisplay). The first and the last of a session are waited for, since they are what an agent that
// is ending would otherwise not run; all others cost it nothing.

export const hookEventNames = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "Notification",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
] as const;

export type HookEventName = (typeof hookEventNames)[number];

const waitedFor: ReadonlySet<HookEventName> = new Set(["SessionStart", "SessionEnd"]);

export function isWaitedFor(name: HookEventName): boolean {
  return waitedFor.has(name);
}

/** Older agents read a settings file with entries that they do not know as a broken one, as a whole. */
export const leastAgentVersion = "2.1.122";
