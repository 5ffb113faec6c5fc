// A program run to its end, its output thrown away; one that fails fails the run.
import { spawn } from "node:child_process";
import { once } from "node:events";

export async function runProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const child = spawn(command, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}`);
}
