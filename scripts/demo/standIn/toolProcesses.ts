// The commands that tools run: real children of the stand-in, which sleep as long as the command would take.
import { spawn, type ChildProcess } from "node:child_process";

export class ToolProcesses {
  private readonly running = new Set<ChildProcess>();
  private readonly pace: number;

  constructor(pace: number) {
    this.pace = pace;
  }

  /** Resolves when the command has ended. */
  run(seconds: number): Promise<void> {
    const child = spawn("sleep", [String(seconds * this.pace)], { stdio: "ignore" });
    this.running.add(child);
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", () => {
        this.running.delete(child);
        resolve();
      });
    });
  }

  /** Ends all of them now. */
  kill(): void {
    for (const child of this.running) child.kill("SIGKILL");
  }
}
