// Starts a daemon that outlives its starter: a session of its own, no streams shared, nothing waited for.
// What the daemon does once it runs is seen over its socket, never over its streams.
import { spawn } from "node:child_process";

export interface DetachedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface DetachedProcess {
  readonly pid: number;
  /** How it ended, as far as was seen; undefined while it runs. */
  ended(): string | undefined;
}

/** @throws the system's error when the command could not be started at all */
export function launchDetached({ command, args, env, cwd }: DetachedCommand): Promise<DetachedProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { detached: true, stdio: "ignore", env, cwd, windowsHide: true });
    let end: string | undefined;
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      end = signal === null ? `exit code ${code ?? "unknown"}` : `signal ${signal}`;
    });
    child.once("spawn", () => {
      const { pid } = child;
      if (pid === undefined) reject(new Error(`${command} was started without a process id`));
      else resolve({ pid, ended: () => end });
    });
    child.unref();
  });
}
