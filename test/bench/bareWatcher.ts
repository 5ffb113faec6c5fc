// The peer of a written line's way: a Node of its own that only watches a folder and passes each event on. What it takes
// on a machine that is busy is the machine's part.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const script = `
const { watch } = require("node:fs");
watch(process.argv[2], () => process.send("event"));
process.send("ready");
`;

export class BareWatcher {
  private readonly folder = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
  private readonly watched = join(this.folder, "watched");
  private child: ChildProcess | undefined;

  async start(): Promise<void> {
    const path = join(this.folder, "watcher.cjs");
    writeFileSync(path, script);
    writeFileSync(this.watched, "");
    this.child = fork(path, [this.watched], { execArgv: [] });
    await once(this.child, "message");
  }

  /** Milliseconds from a write to the event's arrival here. */
  async sample(): Promise<number> {
    if (this.child === undefined) throw new Error("the watcher was not started");
    const began = performance.now();
    const event = once(this.child, "message");
    writeFileSync(this.watched, "x");
    await event;
    return performance.now() - began;
  }

  close(): void {
    this.child?.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}
