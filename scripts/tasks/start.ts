// `npm start`: builds, starts the agent, opens the product (the desktop VS Code where `code` is at hand, else
// VS Code's web workbench on this machine only), and shows the live roster in the terminal until Ctrl-C. With `--demo`
// all of that on a made-up world.
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { cacheRoot } from "../cache/packageCache.ts";
import { runDemo } from "../demo/demo.ts";
import { openEditor } from "../workbench/openEditor.ts";

const root = join(import.meta.dirname, "..", "..");
const cli = join(root, "dist", "rollcall.cjs");
const help = `usage: npm start [-- options]

Builds Rollcall, starts its agent, opens VS Code with it, and shows the live roster in the terminal until Ctrl+C.

  --no-editor   only the roster in the terminal
  --demo        on a scratch home with made-up sessions that live, and a story that tells what to look at;
                nothing of yours is read or written, and nothing of it stays
  --help        this text
`;
const known = ["--demo", "--help", "--no-editor"];
const given = process.argv.slice(2);

const unknown = given.find((argument) => !known.includes(argument));
if (unknown !== undefined) {
  process.stderr.write(`rollcall: ${unknown} is not understood\n\n${help}`);
  process.exit(2);
}
if (given.includes("--help")) {
  process.stdout.write(help);
  process.exit(0);
}

const editor = !given.includes("--no-editor");
step("build", [join(root, "scripts", "tasks", "build.ts")]);
process.exit(given.includes("--demo") ? await demo() : await product());

async function demo(): Promise<number> {
  await runDemo({ editor });
  return 0;
}

async function product(): Promise<number> {
  step("start the agent", [cli, "agent", "start"]);
  // Kept, so that the next start opens as this one was left.
  const userDataDir = join(cacheRoot(), "workbench-user");
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const opened = editor ? await openEditor({ userDataDir, folder: root, say }) : undefined;
  const watch = spawn(process.execPath, [cli, "watch"], { stdio: "inherit" });
  const stop = (): void => {
    watch.kill("SIGTERM");
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  const exitCode = await new Promise<number>((resolve) => watch.once("exit", (status) => resolve(status ?? 0)));
  await opened?.dispose();
  return exitCode;
}

function step(what: string, args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, [...args], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (status === 0) return;
  process.stderr.write(`rollcall: could not ${what}, see above\n`);
  process.exit(1);
}
