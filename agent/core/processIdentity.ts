// Which processes are a coding agent, told by executable and argument vector, never by a substring: an editor on
// a file named claude is none, nor is a shell whose script mentions it.

export type AgentRole =
  /** `conversationId` where the arguments tell it. */
  | { readonly kind: "session"; readonly conversationId: string | undefined }
  /** Part of the agent that holds no conversation of its own, such as its daemon or a spare. */
  | { readonly kind: "helper"; readonly what: string }
  | { readonly kind: "other" };

export interface ProcessLook {
  readonly argv: readonly string[];
  /** Path of the executable; undefined where it could not be read. */
  readonly exe: string | undefined;
  /** The kernel's short name. */
  readonly comm: string | undefined;
}

const other: AgentRole = { kind: "other" };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** First arguments that make the agent do something else than hold a conversation. */
const subcommands = new Set([
  "agents",
  "attach",
  "auth",
  "auto-mode",
  "config",
  "daemon",
  "doctor",
  "gateway",
  "install",
  "kill",
  "login",
  "logout",
  "logs",
  "mcp",
  "migrate-installer",
  "plugin",
  "plugins",
  "project",
  "rm",
  "setup-token",
  "stop",
  "update",
  "upgrade",
]);
const helperArguments = new Set(["bg-pty-host", "bg-spare"]);
const helperFlags = new Set(["--bg-pty-host", "--bg-spare", "--chrome-native-host"]);
/** Only in front do these mean themselves; further back they may be part of a prompt. */
const answerFlags = new Set(["--version", "-v", "--help", "-h"]);
const agentPackages = new Set(["claude-code", "claude-agent-sdk"]);
/** Tools that the agent's own program holds too, and is when it is called by their name. */
const embeddedTools = new Set(["rg", "ugrep", "bfs"]);
/** Options of an interpreter whose value may be an argument of its own. */
const valueOptions = new Set([
  "-C",
  "--conditions",
  "--cwd",
  "--diagnostic-dir",
  "--disable-warning",
  "--dns-result-order",
  "--env-file",
  "--env-file-if-exists",
  "--experimental-loader",
  "--icu-data-dir",
  "--import",
  "--inspect-port",
  "--loader",
  "--openssl-config",
  "--preload",
  "-r",
  "--redirect-warnings",
  "--require",
  "--secure-heap",
  "--title",
  "--unhandled-rejections",
]);

export function identifyProcess(look: ProcessLook): AgentRole {
  const args = agentArguments(look);
  if (args === undefined) return other;
  const first = args[0];
  if (first !== undefined && (helperArguments.has(first) || subcommands.has(first) || answerFlags.has(first))) {
    return { kind: "helper", what: first };
  }
  const flag = args.find((arg) => helperFlags.has(arg));
  if (flag !== undefined) return { kind: "helper", what: flag };
  return { kind: "session", conversationId: conversationId(args) };
}

/** The agent's own arguments, without interpreter and script; undefined where this is no agent. */
function agentArguments(look: ProcessLook): readonly string[] | undefined {
  const [command, ...rest] = look.argv;
  if (command === undefined) return undefined;
  if (isAgentExecutable(look.exe)) return embeddedTools.has(baseName(command)) ? undefined : rest;
  if (isInterpreter(look.exe ?? command)) {
    // Old versions overwrite their arguments with their title.
    if (command === "claude" && rest.every((arg) => arg === "")) return [];
    const script = scriptIndex(rest);
    return script >= 0 && isAgentScript(rest[script] ?? "") ? rest.slice(script + 1) : undefined;
  }
  // A version's executable in a folder of any name, started through a link.
  if (isVersion(baseName(look.exe)) && isAgentExecutable(command)) return rest;
  // Without the executable's path the vector itself has to do: its program must be the agent by name.
  return look.exe === undefined && isAgentExecutable(command) ? rest : undefined;
}

function isAgentExecutable(path: string | undefined): boolean {
  if (path === undefined) return false;
  const parts = path.replace(deletedMark, "").split(/[\\/]/);
  const name = parts.at(-1) ?? "";
  if (name === "claude" || name === "claude.exe") return true;
  // Native installs keep one executable per version: …/claude/versions/2.1.332, …/ccd-cli/2.1.271
  const folder = parts.at(-2);
  return isVersion(name) && ((folder === "versions" && parts.at(-3) === "claude") || folder === "ccd-cli");
}

/** A version that an app or a remote server brings along and talks to by its pipes. */
export function isHosted(path: string | undefined): boolean {
  return isVersion(baseName(path)) && path?.split(/[\\/]/).at(-2) === "ccd-cli";
}

export function isInterpreter(path: string): boolean {
  return /^(node|nodejs|bun)(-?v?\d+(\.\d+)*)?(\.exe)?$/.test(baseName(path));
}

/** What the kernel adds to the path of an executable that was replaced while it runs. */
const deletedMark = / \(deleted\)$/;

function baseName(path: string | undefined): string {
  return path?.replace(deletedMark, "").split(/[\\/]/).at(-1) ?? "";
}

function isVersion(name: string): boolean {
  return /^\d+\.\d+\.\d+/.test(name);
}

/** Where the script stands among an interpreter's arguments; below zero where there is none. */
function scriptIndex(args: readonly string[]): number {
  const found = args.findIndex((arg, index) => !arg.startsWith("-") && !valueOptions.has(args[index - 1] ?? ""));
  // `bun run script`
  if (args[found] !== "run") return found;
  const script = scriptIndex(args.slice(found + 1));
  return script < 0 ? found : found + 1 + script;
}

/** The agent's own package or the one that hosts it in other programs; what these packages bring along is none. */
function isAgentScript(script: string): boolean {
  const parts = script.split(/[\\/]/);
  const scope = parts.lastIndexOf("@anthropic-ai");
  if (scope < 0 || !agentPackages.has(parts[scope + 1] ?? "")) return parts.at(-1) === "claude";
  const below = parts.slice(scope + 2, -1);
  return below.every((folder) => folder === "bin" || folder === "dist");
}

/** The conversation that the arguments name; a fork gets an id of its own, which they do not tell. */
function conversationId(args: readonly string[]): string | undefined {
  const given = flagValue(args, ["--session-id"]);
  if (given !== undefined) return given;
  if (args.includes("--fork-session")) return undefined;
  return flagValue(args, ["--resume", "-r"]);
}

function flagValue(args: readonly string[], names: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    // What follows is a prompt.
    if (arg === "--") return undefined;
    for (const name of names) {
      const value = arg === name ? args[index + 1] : attachedValue(arg, name);
      if (value !== undefined && uuid.test(value)) return value.toLowerCase();
    }
  }
  return undefined;
}

/** `--name=value`, and for a short flag also `-nvalue`. */
function attachedValue(arg: string, name: string): string | undefined {
  if (arg.startsWith(`${name}=`)) return arg.slice(name.length + 1);
  return !name.startsWith("--") && arg.startsWith(name) ? arg.slice(name.length) : undefined;
}
