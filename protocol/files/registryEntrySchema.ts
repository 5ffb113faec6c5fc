// What an entry of the registry is, as a validator says it; `readRegistryEntry.ts` reads one by hand.
import { z } from "zod";
import { latestShownMs } from "../../base/limits.ts";
import { safeIdPattern } from "../ids.ts";
import { nameSources, recordedTextChars } from "./registry.ts";

/** A blank one was not told. */
const text = z.string().max(recordedTextChars).regex(/\S/).optional().catch(undefined);
const ms = z.number().positive().max(latestShownMs).optional().catch(undefined);
const pid = z.number().int().positive().optional().catch(undefined);

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
