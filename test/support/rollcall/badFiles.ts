// Transcripts as they should not be: damaged, enormous, hostile or by the thousand, in a config folder of its own.
import { closeSync, linkSync, mkdirSync, openSync, truncateSync, utimesSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";

export const at = "2026-11-30T17:00:00.000Z";
const prompt = record({ type: "user", timestamp: at, cwd: "/srv/app", message: { content: "do it" } });
const call = record({
  type: "assistant",
  timestamp: at,
  message: { stop_reason: "tool_use", content: [{ type: "tool_use", id: "c1", name: "Bash" }] },
});
/** A turn that runs, with one call open. */
export const openTurn = `${prompt}\n${call}\n`;

export function record(fields: object): string {
  return JSON.stringify(fields);
}

export class BadFiles {
  readonly configDir: string;

  constructor(configDir: string) {
    this.configDir = configDir;
    mkdirSync(join(configDir, "projects"), { recursive: true, mode: 0o755 });
  }

  path(name: string, project = "-srv-app"): string {
    const path = join(this.configDir, "projects", project, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    return path;
  }

  write(name: string, content: string | Uint8Array, project?: string): string {
    const path = this.path(name, project);
    writeFileSync(path, content);
    return path;
  }

  /** So large a file that only its head and tail are real; between them lies a hole. */
  writeSparse(name: string, sizeBytes: number, tail: string): string {
    const path = this.write(name, openTurn);
    truncateSync(path, sizeBytes);
    const file = openSync(path, "a");
    writeSync(file, `\n${tail}`);
    closeSync(file);
    return path;
  }

  /** Many bytes of one kind, written in pieces. */
  writeLarge(name: string, parts: Iterable<string>): string {
    const path = this.path(name);
    const file = openSync(path, "w");
    for (const part of parts) writeSync(file, part);
    closeSync(file);
    return path;
  }

  /** Many files at the cost of few: names of the same bytes, last changed when it is said. */
  writeMany(count: number, nameOf: (index: number) => string, content: string, changedAt: Date, project: string): void {
    const namesPerFile = 30_000;
    let source = "";
    for (let index = 0; index < count; index += 1) {
      const path = this.path(nameOf(index), project);
      if (index % namesPerFile === 0) {
        source = path;
        writeFileSync(path, content);
        utimesSync(path, changedAt, changedAt);
      } else linkSync(source, path);
    }
  }
}

export function* repeated(part: string, times: number): Iterable<string> {
  for (let index = 0; index < times; index += 1) yield part;
}
