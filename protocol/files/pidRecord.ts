// The coding agent's own record of a running session, `<config>/sessions/<pid>.json` (Claude Code 2.1.139 and
// newer). Undocumented and changing: read tolerantly, a field of an unexpected type counts as not told. The
// `.key` files beside the records are secrets and are never opened.
import { z } from "zod";
import { earliestToldMs, latestShownMs } from "../../base/limits.ts";
import { safeIdPattern } from "../ids.ts";

const text = z.string().max(4096).optional().catch(undefined);
const ms = z.number().min(earliestToldMs).max(latestShownMs).optional().catch(undefined);

export const pidRecordSchema = z.object({
  pid: z.number().int().positive(),
  sessionId: z.string().regex(safeIdPattern),
  cwd: text,
  /** Epoch milliseconds. */
  startedAt: ms,
  /** The process' start as the platform tells it; on Linux field 22 of /proc/<pid>/stat. Larger than 2^53 elsewhere, so a string. */
  procStart: z
    .union([z.string().trim().min(1).max(100), z.number().int().nonnegative().transform(String)])
    .optional()
    .catch(undefined),
  version: text,
  kind: text,
  entrypoint: text,
  /** `linux:<machine id>:pid:[<namespace inode>]` */
  pidDomain: text,
  name: text,
  nameSource: text,
  status: text,
  waitingFor: text,
  updatedAt: ms,
  statusUpdatedAt: ms,
  spare: z.boolean().optional().catch(undefined),
});

export type PidRecord = z.output<typeof pidRecordSchema>;
