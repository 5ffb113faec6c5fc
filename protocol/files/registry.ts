// The registry of sandbox sessions, `sandbox-sessions.json`: which conversations live in which sandbox, written by
// several tools. Read tolerantly, a field of an unexpected type counts as not told. What a validator makes of an
// entry is never written back: writers change the text that is there.
import { z } from "zod";
import { latestShownMs } from "../../base/limits.ts";
import { safeIdPattern } from "../ids.ts";

export const recordedTextChars = 4096;

/** A blank one was not told. */
const text = z.string().max(recordedTextChars).regex(/\S/).optional().catch(undefined);
const ms = z.number().positive().max(latestShownMs).optional().catch(undefined);
const pid = z.number().int().positive().optional().catch(undefined);

export const nameSources = ["user", "agent", "derived"] as const;

export const registryEntrySchema = z.object({
  session_id: z.string().regex(safeIdPattern),
  cwd: text,
  transcript: text,
  started_at_ms: ms,
  name: text,
  /** Who gave the name; the better one stays. */
  name_source: z.enum(nameSources).optional().catch(undefined),
  pid,
  owner_pid: pid,
  owner_started_at: z
    .union([z.string().max(200), z.number()])
    .optional()
    .catch(undefined),
  host_terminal_id: text,
  host_tty: text,
  departed_at_ms: ms,
});

export type RegistryEntry = z.output<typeof registryEntrySchema>;
export type NameSource = (typeof nameSources)[number];

/** The version that is written; another one is read where it has this shape, and left as it is. */
export const registryVersion = 1;
export const emptyRegistryText = `{\n  "version": ${registryVersion},\n  "sandboxes": {}\n}\n`;
