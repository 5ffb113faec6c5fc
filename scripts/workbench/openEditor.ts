// Opens the product in an editor: the desktop VS Code where `code` is at hand, else VS Code's web workbench on this
// machine only.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { startWorkbench } from "./codeServer.ts";

const root = join(import.meta.dirname, "..", "..");

export interface EditorOptions {
  /** Added to this process' own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Settings and state of the web workbench. */
  readonly userDataDir: string;
  /** Of the desktop editor too, where it shall not be the user's own. */
  readonly ownProfile?: boolean;
  readonly folder: string;
  /** First settings of the web workbench. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly say: (line: string) => void;
}

export interface OpenedEditor {
  dispose(): Promise<void>;
}

export async function openEditor(options: EditorOptions): Promise<OpenedEditor> {
  const env = { ...process.env, ...options.env };
  const code = desktopCode();
  return code === undefined ? openWorkbench(options, env) : openDesktop(code, options, env);
}

function openDesktop(code: string, options: EditorOptions, env: NodeJS.ProcessEnv): OpenedEditor {
  const own = options.ownProfile === true ? ["--user-data-dir", options.userDataDir, options.folder] : [];
  spawnSync(code, ["--new-window", `--extensionDevelopmentPath=${root}`, ...own], {
    stdio: "inherit",
    shell: process.platform === "win32",
    env,
  });
  options.say("VS Code opens with Rollcall in its activity bar.");
  return { dispose: () => Promise.resolve() };
}

/** The `code` command of a desktop VS Code; a remote one's opens no window here. */
function desktopCode(): string | undefined {
  const names = process.platform === "win32" ? ["code.cmd"] : ["code"];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}

async function openWorkbench(options: EditorOptions, env: NodeJS.ProcessEnv): Promise<OpenedEditor> {
  options.say("No `code` here; VS Code's web workbench serves instead (its first start installs it).");
  const started = await startWorkbench({
    extension: { kind: "folder", folder: root },
    userDataDir: options.userDataDir,
    settings: options.settings ?? {},
    env,
  });
  options.say(`Open ${started.url(options.folder)}`);
  options.say("The address holds a key: whoever has it has a shell as you. Ctrl+C ends the server.");
  return started;
}
