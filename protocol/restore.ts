// What a restore would do, session by session: resume it, by which program in which folder, or refuse, and what to do
// then. A plan is a value: the command prints it, a window carries it out, and neither has a choice left.
import { z } from "zod";

/** Why a session is not resumed. Those of the first line leave nothing to do. */
export const refusalKinds = [
  ...["live", "being-restored", "departed", "rotated", "resumed-as"],
  ...["unknown-session", "ambiguous", "liveness-unknown", "bad-id"],
  ...["no-transcript", "transcript-untrusted", "transcript-unknown"],
  ...["folder-gone", "folder-unknown", "sandbox-stopped"],
] as const;

export const restoreSelectionSchema = z.strictObject({
  /** Ids, beginnings of ids or keys. */
  sessions: z.array(z.string().max(8192)).max(1_000).optional(),
  /** Every recorded session of this sandbox; with `sessions`, those of them that are in it. */
  sandbox: z.string().max(1_024).optional(),
  /** Every recorded session. */
  all: z.boolean().optional(),
  /** Also where nothing can tell whether it runs, or where a later conversation goes on with it. */
  force: z.boolean().optional(),
  /** Instead of the folder that it began in; for one session. */
  cwd: z.string().max(4_096).optional(),
  /** Who asks carries it out at once, so that nobody else is handed the same. */
  claim: z.boolean().optional(),
});

export const resumeSchema = z.strictObject({
  kind: z.literal("resume"),
  /** The program and what it is given, each for itself: no shell takes part. */
  argv: z.array(z.string()).min(1),
  /** Null where the program itself is told the folder. */
  cwd: z.string().nullable(),
  /** Added to the environment; null takes a variable out of it. */
  env: z.record(z.string(), z.string().nullable()),
  /** Where it runs: the sandbox's name, or null for this host. */
  inSandbox: z.string().nullable(),
  /** What a person should know before. */
  notes: z.array(z.string()),
});

export const restoreRefusalSchema = z.strictObject({
  kind: z.literal("refused"),
  why: z.enum(refusalKinds),
  says: z.string(),
  /** What to do about it. */
  next: z.string(),
  /** True where there is nothing to restore: it lives, or somebody else does it. */
  settled: z.boolean(),
});

export const restoreItemSchema = z.strictObject({
  /** Missing where what was asked for names no session. */
  key: z.string().optional(),
  id: z.string(),
  sandbox: z.string().nullable(),
  title: z.string(),
  outcome: z.discriminatedUnion("kind", [resumeSchema, restoreRefusalSchema]),
});

export const restorePlanSchema = z.strictObject({
  version: z.literal(1),
  at: z.iso.datetime(),
  sessions: z.array(restoreItemSchema),
});

export type RefusalKind = (typeof refusalKinds)[number];
export type RestoreSelection = z.input<typeof restoreSelectionSchema>;
export type Resume = z.output<typeof resumeSchema>;
export type RestoreRefusal = z.output<typeof restoreRefusalSchema>;
export type RestoreItem = z.output<typeof restoreItemSchema>;
export type RestorePlan = z.output<typeof restorePlanSchema>;
