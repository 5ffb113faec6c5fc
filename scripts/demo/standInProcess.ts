// One process of the stand-in, as the demo holds it: started with its assignment, ended in order by the end of its
// standard input, and with its whole group where it does not go.
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { endTree, ownGroup } from "../workbench/processTree.ts";
import type { DemoFolder } from "./demoFolder.ts";
import type { SandboxTool } from "./sandbox.ts";
import type { Assignment } from "./steps.ts";

const program = join(import.meta.dirname, "standIn", "main.ts");
const orderlyEndMs = 3_000;

export interface StandInCall {
  readonly folder: DemoFolder;
  readonly assignment: Assignment;
  /** Where it runs in a pid namespace of its own. */
  readonly sandbox: Extract<SandboxTool, { command: string }> | undefined;
  /** True where the conversation is an earlier one's. */
  readonly resumes: boolean;
}

export class StandInProcess {
  readonly pid: number | undefined;
  readonly exited: Promise<NodeJS.Signals | null>;
  private readonly child: ChildProcess;

  constructor(call: StandInCall) {
    const { folder, assignment, sandbox } = call;
    const args = [program, ...(call.resumes ? ["--resume", assignment.sessionId] : [])];
    const [command, ...rest] =
      sandbox === undefined
        ? [folder.executable, ...args]
        : [sandbox.command, ...sandbox.args, folder.executable, ...args];
    this.child = spawn(command, rest, {
      ...ownGroup(),
      cwd: assignment.cwd,
      env: {
        PATH: process.env["PATH"],
        HOME: folder.home,
        NODE_NO_WARNINGS: "1",
      },
      stdio: ["pipe", "ignore", "inherit"],
    });
    this.pid = this.child.pid;
    this.exited = new Promise((resolve) => {
      this.child.once("exit", (_code, signal) => resolve(signal));
      this.child.once("error", () => resolve(null));
    });
    // A stand-in that is gone reads no more.
    this.child.stdin?.on("error", () => undefined);
    this.child.stdin?.write(`${JSON.stringify(assignment)}\n`);
  }

  /** In order; what then still lives of its group is killed. */
  async end(): Promise<void> {
    this.child.stdin?.end();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, orderlyEndMs);
    });
    await Promise.race([this.exited, late]);
    clearTimeout(timer);
    await endTree(this.child, 500);
  }
}
