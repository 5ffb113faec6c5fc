// The snapshot that Rollcall writes for other tools: which sandboxes there are and what ran in each when it was last
// observed. It is never read back as evidence.

export const snapshotVersion = 1;
export const snapshotWriter = "rollcall";

/** Null where nothing was observed of it. */
export interface SnapshotSession {
  readonly session_id: string;
  readonly cwd: string | null;
  readonly session_name: string;
  readonly started_at: string | null;
  readonly pid: number | null;
  readonly cputime_secs: number | null;
  readonly mem_mb: number | null;
  readonly has_child: boolean | null;
}

export interface SnapshotSandbox {
  /** False where the rows are those of an earlier observation. */
  readonly is_current: boolean;
  readonly observed_at_ms: number;
  readonly sessions: readonly SnapshotSession[];
}

export function emptySnapshotText(at: number): string {
  const snapshot = { version: snapshotVersion, collected_at_ms: at, writer: snapshotWriter, sandboxes: {} };
  return `${JSON.stringify(snapshot, null, 2)}\n`;
}
