// How a hook event gets from the coding agent to Rollcall: the command that the agent runs writes its payload into a
// new small file of the spool, and whoever folds removes it. The command is one line of POSIX shell, so that a sandbox
// needs no Node; it prints nothing, decides nothing and ends with 0 whatever happens, also when the spool is gone.
// What is in a spool was written by whoever runs in the sandbox, and is read as such.
import { safeIdPattern } from "./ids.ts";

/** The spool of whoever has no mount of its own: the host, and sandboxes that see the host's data folder. */
export const sharedSpool = "host";

/** What a file of a spool may be called. */
export const spoolFilePattern = safeIdPattern;

/** Stands in every command of ours, whatever its version. */
export const hookMark = ": rollcall-hook ";
export const hookCommandVersion = 1;

/** A payload beyond this is cut, and then refused when it is read. */
export const hookPayloadBytes = 1024 * 1024;
/** The agent's own deadline for the command; the command gives up by itself before. */
export const hookTimeoutSeconds = 5;
export const hookStdinSeconds = 2;

/**
 * Names of files are taken from so many, so that a spool that nobody reads is bounded: a process id modulo a prime, then
 * a number for those that meet.
 */
export const spoolSlots = { ids: 997, each: 40 } as const;

/** The spool's name for whoever installs in this environment. */
export function spoolNameOf(env: Readonly<Record<string, string | undefined>>): string {
  const name = env["SANDBOX_NAME"];
  return name !== undefined && isSpoolName(name) ? name : sharedSpool;
}

export function isSpoolName(name: string): boolean {
  return safeIdPattern.test(name) && name !== "." && name !== "..";
}

/**
 * Written so that a file is new (`set -C`), only its owner's, and whole once it ends with a newline; before the payload
 * stand the version and the agent's pid, which no payload has. Of the environment it keeps nothing else.
 * @param folder the spool's absolute path, as the sandbox sees it too
 */
export function hookCommand(folder: string): string {
  const { ids, each } = spoolSlots;
  const take = `head -c ${hookPayloadBytes}`;
  // Without `timeout`, as on some systems, a clock of our own ends the wait for whoever keeps the input open.
  const bounded = [
    `if command -v timeout >&2;then timeout ${hookStdinSeconds} ${take}`,
    `else exec 3<&0;${take} <&3 & h=$!;{ sleep ${hookStdinSeconds};kill $h;} & wait $h;kill $!;fi`,
  ].join(";");
  return [
    `${hookMark}${hookCommandVersion};d=${quoted(folder)}`,
    `{ if [ -d "$d" ]&&[ ! -t 0 ];then umask 077;set -C;p=\${CLAUDE_PID:-0};case $p in *[!0-9]*)p=0;;esac`,
    `s=$(($$%${ids}));i=0`,
    `while [ $i -lt ${each} ];do f=$d/$s.$i;i=$((i+1))`,
    `[ -e "$f" ]||[ -L "$f" ]||{ i=${each};printf '${hookCommandVersion} %s ' "$p";${bounded};echo;} >"$f";done;fi;} >/dev/null 2>&1`,
    "exit 0",
  ].join(";");
}

/** The spool that a command of ours writes to. */
export function spoolOfCommand(command: string): string | undefined {
  return /;d='((?:[^']|'\\'')*)'/.exec(command)?.[1]?.replaceAll("'\\''", "'");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
