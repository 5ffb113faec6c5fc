// Starts the web workbench as a server on the loopback interface and waits until it listens. Whoever
// has the address with its token has a shell as this user, so the token is random, is never on a command
// line, and the server refuses requests without it. Opening a browser is left to the caller.
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { presentExtension, type ExtensionSource } from "./extensionPresence.ts";
import { endTree, killTreeNow, ownGroup } from "./processTree.ts";
import { ensureWorkbench, nodeMajor } from "./workbenchPackage.ts";

export interface WorkbenchOptions {
  /** An extension to have in every window. */
  readonly extension?: ExtensionSource;
  /** Settings and state; a throw-away folder unless given. */
  readonly userDataDir?: string;
  /** Installed extensions; inside `userDataDir` unless given. */
  readonly extensionsDir?: string;
  /** First settings, written only where the user has none yet; added to `quietSettings`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The whole environment of the server, and so of the extension host and of terminals. */
  readonly env?: NodeJS.ProcessEnv;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  readonly deadlineMs?: number;
  /** Gets the server's output, line by line. */
  readonly log?: (line: string) => void;
}

export interface Workbench {
  readonly port: number;
  readonly token: string;
  /** Settles when the server is gone, wanted or not. */
  readonly exited: Promise<void>;
  /** The page's address, token included; without a folder the window opens empty. */
  url(folder?: string): string;
  /** A path of this machine as the page names it. */
  remoteUri(path: string): string;
  /** Ends the server, its extension hosts and terminals; removes throw-away folders. */
  dispose(): Promise<void>;
}

/** No welcome pages, no assistant panels, no update or marketplace calls: what is on screen is ours. */
export const quietSettings: Readonly<Record<string, unknown>> = {
  "chat.disableAIFeatures": true,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

export async function startWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  if (Number(process.versions.node.split(".")[0]) !== nodeMajor) {
    throw new Error(
      `the workbench runs on Node ${nodeMajor}, this is ${process.versions.node}; use npm start or npm test`,
    );
  }
  const { serverMain } = ensureWorkbench();
  const scratch = mkdtempSync(join(tmpdir(), "rollcall-workbench-"));
  const userDataDir = resolve(options.userDataDir ?? join(scratch, "user"));
  const extensionsDir = resolve(options.extensionsDir ?? join(userDataDir, "extensions"));
  mkdirSync(extensionsDir, { recursive: true });
  writeFirstSettings(userDataDir, { ...quietSettings, ...options.settings });
  try {
    if (options.extension) presentExtension(options.extension, { serverMain, userDataDir, extensionsDir });
    const token = randomBytes(24).toString("hex");
    const tokenFile = join(scratch, "token");
    writeFileSync(tokenFile, token, { mode: 0o600 });
    const args = [
      ...["--host", "127.0.0.1", "--port", String(options.port ?? 0), "--connection-token-file", tokenFile],
      ...["--user-data-dir", userDataDir, "--server-data-dir", userDataDir, "--extensions-dir", extensionsDir],
      ...["--accept-server-license-terms", "--disable-telemetry", "--disable-workspace-trust"],
      // Else the extension host's environment would be that of a login shell, not the one given here.
      "--force-disable-user-env",
    ];
    const server = spawn(process.execPath, [serverMain, ...args], {
      ...ownGroup(),
      env: options.env ?? process.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    return await whenListening(server, { token, scratch, options });
  } catch (cause) {
    rmSync(scratch, { recursive: true, force: true });
    throw cause;
  }
}

interface Started {
  readonly token: string;
  readonly scratch: string;
  readonly options: WorkbenchOptions;
}

async function whenListening(server: ChildProcess, { token, scratch, options }: Started): Promise<Workbench> {
  const killOnExit = (): void => killTreeNow(server);
  process.once("exit", killOnExit);
  const exited = new Promise<void>((done) => {
    server.once("exit", () => done());
    server.once("error", () => done());
  });
  const dispose = async (): Promise<void> => {
    await endTree(server);
    process.removeListener("exit", killOnExit);
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const port = await listeningPort(server, options);
    return {
      port,
      token,
      exited,
      dispose,
      url: (folder) => pageUrl({ port, token, folder }),
      remoteUri: (path) => `vscode-remote://127.0.0.1:${port}${pathToFileURL(path).pathname}`,
    };
  } catch (cause) {
    await dispose();
    throw cause;
  }
}

function listeningPort(server: ChildProcess, { deadlineMs = 60_000, log }: WorkbenchOptions): Promise<number> {
  return new Promise((listening, failed) => {
    let said = "";
    const fail = (what: string): void => {
      clearTimeout(timer);
      failed(new Error(`the workbench server ${what}${said ? `; it said: ${said.slice(-2_000)}` : ""}`));
    };
    const timer = setTimeout(() => fail(`did not listen within ${deadlineMs} ms`), deadlineMs);
    server.once("error", (cause) => fail(`could not be started (${cause.message})`));
    server.once("exit", (code, signal) => fail(`ended with ${signal ?? code} before it listened`));
    eachLine(server, (line) => {
      log?.(line);
      said = `${said}${line}\n`.slice(-4_000);
      const port = /^Extension host agent listening on (\d+)/.exec(line)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      listening(Number(port));
    });
  });
}

function eachLine(server: ChildProcess, take: (line: string) => void): void {
  for (const stream of [server.stdout, server.stderr]) {
    let rest = "";
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = (lines.pop() ?? "").slice(-100_000);
      for (const line of lines) take(line);
    });
  }
}

interface PageAddress {
  readonly port: number;
  readonly token: string;
  readonly folder: string | undefined;
}

function pageUrl({ port, token, folder }: PageAddress): string {
  const url = new URL(`http://127.0.0.1:${port}/`);
  url.searchParams.set("tkn", token);
  if (folder) url.searchParams.set("folder", pathToFileURL(resolve(folder)).pathname);
  return url.href;
}

function writeFirstSettings(userDataDir: string, settings: Readonly<Record<string, unknown>>): void {
  // The page's user settings, and the machine settings that a remote window layers on top of them.
  for (const folder of ["User", "Machine"]) {
    const file = join(userDataDir, folder, "settings.json");
    if (existsSync(file)) continue;
    mkdirSync(join(userDataDir, folder), { recursive: true });
    writeFileSync(file, `${JSON.stringify(settings, null, 2)}\n`);
    chmodSync(file, 0o600);
  }
}
