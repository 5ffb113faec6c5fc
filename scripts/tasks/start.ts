// `npm start`: builds, starts the agent, opens the product (the desktop VS Code where `code` is at hand, else
// VS Code's web workbench on this machine only), and shows the live roster in the terminal until Ctrl-C.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { cacheRoot } from "../cache/packageCache.ts";
import { startWorkbench } from "../workbench/codeServer.ts";

const root = join(import.meta.dirname, "..", "..");
const cli = join(root, "dist", "rollcall.cjs");
const noEditor = process.argv.includes("--no-editor");

step("build", [join(root, "scripts", "tasks", "build.ts")]);
step("start the agent", [cli, "agent", "start"]);

const code = noEditor ? undefined : desktopCode();
const workbench = noEditor || code !== undefined ? undefined : await openWorkbench();
if (code !== undefined) {
  spawnSync(code, ["--new-window", `--extensionDevelopmentPath=${root}`], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  process.stdout.write("VS Code opens with Rollcall in its activity bar.\n");
}

const watch = spawn(process.execPath, [cli, "watch"], { stdio: "inherit" });
const stop = (): void => {
  watch.kill("SIGTERM");
};
process.on("SIGINT", stop);
process.on("SIGTERM", stop);
const exitCode = await new Promise<number>((resolve) => watch.once("exit", (status) => resolve(status ?? 0)));
await workbench?.dispose();
process.exit(exitCode);

function step(what: string, args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, [...args], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (status === 0) return;
  process.stderr.write(`rollcall: could not ${what}, see above\n`);
  process.exit(1);
}

/** The `code` command of a desktop VS Code; a remote one's opens no window here. */
function desktopCode(): string | undefined {
  const names = process.platform === "win32" ? ["code.cmd"] : ["code"];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}

async function openWorkbench(): Promise<Awaited<ReturnType<typeof startWorkbench>>> {
  process.stderr.write(
    "rollcall: no `code` here; VS Code's web workbench serves instead (its first start installs it)\n",
  );
  const started = await startWorkbench({
    extension: { kind: "folder", folder: root },
    // Kept, so that the next start opens as this one was left.
    userDataDir: join(cacheRoot(), "workbench-user"),
  });
  process.stdout.write(`\nOpen ${started.url(root)}\n`);
  process.stdout.write("The address holds a key: whoever has it has a shell as you. Ctrl+C ends the server.\n\n");
  return started;
}
