// A bounded log: a few files of bounded size, bounded lines. What it is told is never a prompt or a tool's
// input. A log that cannot be written is no reason to stop: the fault is counted and shown by `doctor`.
import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { describeError, errorCode } from "../errors.ts";
import { limits } from "../limits.ts";

export interface Log {
  info(message: string): void;
  warn(message: string, error?: unknown): void;
}

export class FileLog implements Log {
  readonly path: string;
  private sizeBytes: number | undefined;
  private lost = 0;

  constructor(path: string) {
    this.path = path;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  }

  info(message: string): void {
    this.write("info", message);
  }

  warn(message: string, error?: unknown): void {
    this.write("warn", error === undefined ? message : `${message}: ${describeError(error)}`);
  }

  /** Lines that could not be written. */
  get lostLines(): number {
    return this.lost;
  }

  private write(level: string, message: string): void {
    const text = message.replace(/[\r\n]+/g, " ").slice(0, limits.logLineChars);
    const line = `${new Date().toISOString()} ${level} ${text}\n`;
    try {
      this.sizeBytes ??= currentSize(this.path);
      const lineBytes = Buffer.byteLength(line);
      if (this.sizeBytes + lineBytes > limits.logFileBytes) this.rotate();
      appendFileSync(this.path, line, { mode: 0o600 });
      this.sizeBytes += lineBytes;
    } catch {
      this.lost += 1;
      this.sizeBytes = undefined;
    }
  }

  private rotate(): void {
    const name = (index: number): string => (index === 0 ? this.path : `${this.path}.${index}`);
    rmSync(name(limits.logFiles - 1), { force: true });
    for (let index = limits.logFiles - 2; index >= 0; index -= 1) {
      try {
        renameSync(name(index), name(index + 1));
      } catch (error) {
        if (errorCode(error) !== "ENOENT") throw error;
      }
    }
    this.sizeBytes = 0;
  }
}

function currentSize(path: string): number {
  try {
    return statSync(path).size;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return 0;
    throw error;
  }
}
