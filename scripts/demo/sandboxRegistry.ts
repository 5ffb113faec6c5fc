// The registry of sandbox sessions as other tools write it, `sandbox-sessions.json`: two sandboxes in it, each with a
// session that lives and one of yesterday. Tearing it is what a writer does that dies half-way.
import { mkdirSync, renameSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export interface RecordedSession {
  readonly sandbox: string;
  readonly sessionId: string;
  readonly cwd: string;
  readonly transcript?: string;
  readonly startedAt: number;
  readonly name: string;
}

export function registryText(sessions: readonly RecordedSession[]): string {
  const sandboxes: Record<string, object[]> = {};
  for (const { sandbox, sessionId, cwd, transcript, startedAt, name } of sessions) {
    const entry = {
      session_id: sessionId,
      cwd,
      ...(transcript === undefined ? {} : { transcript }),
      started_at_ms: startedAt,
      name,
    };
    (sandboxes[sandbox] ??= []).push(entry);
  }
  return `${JSON.stringify({ version: 1, sandboxes }, null, 2)}\n`;
}

export class SandboxRegistry {
  private readonly path: string;
  private readonly text: string;

  constructor(path: string, sessions: readonly RecordedSession[]) {
    this.path = path;
    this.text = registryText(sessions);
    mkdirSync(dirname(path), { recursive: true });
    this.heal();
  }

  /** Half of its bytes are gone. */
  tear(): void {
    truncateSync(this.path, Math.floor(statSync(this.path).size / 2));
  }

  /** Whole again, in one step. */
  heal(): void {
    const next = `${this.path}.next`;
    writeFileSync(next, this.text);
    renameSync(next, this.path);
  }
}
