// What a client sees: the roster, as `rollcall ls --json` prints it and as the agent pushes it. The literals
// are a contract: fields may be added, none renamed. Every time is ISO 8601, UTC.
import { z } from "zod";

const time = z.iso.datetime();

export const sourceStateSchema = z.strictObject({
  /** process-table, proc, pid-records:<folder>, transcripts:<folder>, registry, snapshot, sandboxes:<adapter>; later hooks, manager */
  id: z.string(),
  /** observed: its last attempt answered; absent: it answered that there is nothing; unobserved: it did not answer. */
  state: z.enum(["observed", "absent", "unobserved"]),
  /** The last attempt. */
  at: time,
  /** The last answer; missing when it never answered. */
  asOf: time.optional(),
  /** Since when it has not answered. */
  since: time.optional(),
  cause: z.string().optional(),
});

export const evidenceSchema = z.strictObject({
  source: z.string(),
  says: z.string(),
  /** When the source said so. */
  at: time,
  /** The time it speaks of. */
  asOf: time,
});

export const livenessSchema = z.strictObject({
  kind: z.enum(["live", "ended", "unknown"]),
  /** The rung of the ladder that decided; `none` when nothing could tell. */
  source: z.string(),
  asOf: time,
  stale: z.boolean(),
  how: z.enum(["exited", "killed", "departed", "rotated"]).optional(),
});

export const statusKinds = [
  "needs-you",
  "error",
  "compacting",
  "working",
  "background",
  "waiting",
  "idle",
  "starting",
  "ended",
  "unknown",
] as const;

export const statusWhys = [
  "permission",
  "question",
  "plan",
  "likely",
  "login",
  "billing",
  "limit",
  "server",
  "other",
] as const;

export const statusSchema = z.strictObject({
  kind: z.enum(statusKinds),
  why: z.enum(statusWhys).optional(),
  /** Name of the rule that decided. */
  rule: z.string(),
  since: time.optional(),
  until: time.optional(),
});

export const openTurnSchema = z.strictObject({
  toolUseId: z.string(),
  tool: z.string(),
  since: time,
  agentId: z.string().optional(),
  abandoned: z.boolean(),
});

export const backgroundTaskSchema = z.strictObject({
  id: z.string(),
  kind: z.enum(["shell", "subagent", "monitor", "other"]),
  since: time.optional(),
});

export const subagentSchema = z.strictObject({
  id: z.string(),
  /** `running`; `abandoned` where its session ended before it did. */
  status: z.string(),
  openTurns: z.array(openTurnSchema),
  /** What it was started for, and as what. */
  title: z.string().optional(),
  agentType: z.string().optional(),
  /** The subagent that started it; missing where the session itself did. */
  parentId: z.string().optional(),
  since: time.optional(),
});

export const sessionSchema = z.strictObject({
  key: z.string(),
  id: z.string(),
  sandbox: z.string().nullable(),
  /** True when the sandbox's name is made from its namespace, since nothing names it. */
  sandboxDerived: z.boolean().optional(),
  configDir: z.string(),
  /** Null while no source has told it. */
  cwd: z.string().nullable(),
  startCwd: z.string().nullable(),
  title: z.string(),
  agent: z.literal("claude-code"),
  entrypoint: z.string().optional(),
  transcript: z.string().optional(),
  pid: z.number().int().positive().optional(),
  startedAt: time.optional(),
  endedAt: time.optional(),
  liveness: livenessSchema,
  status: statusSchema,
  openTurns: z.array(openTurnSchema),
  background: z.array(backgroundTaskSchema),
  subagents: z.array(subagentSchema),
  registry: z.strictObject({ recorded: z.boolean(), departedAt: time.optional(), droppedAt: time.optional() }),
  folderGone: z.boolean().optional(),
  /** The real path of the folder that it began in, where a link is among its names. */
  realStartCwd: z.string().optional(),
  usage: z.unknown().optional(),
  evidence: z.array(evidenceSchema),
});

export const sandboxSchema = z.strictObject({
  name: z.string(),
  adapter: z.string(),
  node: z.string().optional(),
  stale: z.boolean(),
  asOf: time,
  quarantine: z.unknown().optional(),
  evidence: z.array(evidenceSchema),
  derived: z.boolean().optional(),
  /** How people call it, where that is not its name: of a dev container the folder that it is for. */
  title: z.string().optional(),
  /** As of when it is known from inside what runs in it. */
  insideAsOf: time.optional(),
  state: z.enum([
    "creating",
    "running",
    "paused",
    "suspending",
    "suspended",
    "restoring",
    "stopped",
    "quarantined",
    "failed",
    "deleting",
    "unknown",
  ]),
});

export const skippedSchema = z.strictObject({
  source: z.string(),
  path: z.string().optional(),
  count: z.number().int().positive(),
  why: z.string(),
});

export const rosterSchema = z.strictObject({
  version: z.literal(1),
  observedAt: time,
  sources: z.array(sourceStateSchema),
  nodes: z.array(z.strictObject({ name: z.string(), quarantine: z.unknown().optional() })),
  sandboxes: z.array(sandboxSchema),
  sessions: z.array(sessionSchema),
  /** What was read over, and why. */
  skipped: z.array(skippedSchema),
});

/** A difference between two rosters; `sandboxes` and `skipped` stand there whole when they changed. */
export const rosterChangeSchema = z.strictObject({
  observedAt: time,
  upsert: z.array(sessionSchema),
  remove: z.array(z.string()),
  sources: z.array(sourceStateSchema),
  sandboxes: z.array(sandboxSchema).optional(),
  skipped: z.array(skippedSchema).optional(),
});

export type SourceState = z.infer<typeof sourceStateSchema>;
export type Evidence = z.infer<typeof evidenceSchema>;
export type Liveness = z.infer<typeof livenessSchema>;
export type StatusKind = (typeof statusKinds)[number];
export type StatusWhy = (typeof statusWhys)[number];
export type Status = z.infer<typeof statusSchema>;
export type OpenTurn = z.infer<typeof openTurnSchema>;
export type Subagent = z.infer<typeof subagentSchema>;
export type BackgroundTask = z.infer<typeof backgroundTaskSchema>;
export type Session = z.infer<typeof sessionSchema>;
export type Sandbox = z.infer<typeof sandboxSchema>;
export type Skipped = z.infer<typeof skippedSchema>;
export type Roster = z.infer<typeof rosterSchema>;
export type RosterChange = z.infer<typeof rosterChangeSchema>;
