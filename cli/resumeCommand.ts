// A resume as a line for a POSIX shell: every word quoted where it needs it, so that the shell sees what is meant and
// nothing else. A folder whose name steers a terminal has no such line.
import type { Resume } from "../protocol/restore.ts";
import { printable } from "./printable.ts";

/** @param env of the shell that will run it; undefined where it cannot be said on one line that is safe to show */
export function resumeCommand(
  { argv, cwd, env }: Resume,
  shellEnv: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const set = Object.entries(env).flatMap(([name, value]) => (value === null ? [] : [`${name}=${quotedWord(value)}`]));
  const unset = Object.entries(env).flatMap(([name, value]) =>
    value === null && shellEnv[name] !== undefined ? ["-u", name] : [],
  );
  const program = [...(unset.length > 0 ? ["env", ...unset] : []), ...set, ...argv.map(quotedWord)].join(" ");
  const line = cwd === null ? program : `cd ${quotedWord(cwd)} && ${program}`;
  return printable(line) === line ? line : undefined;
}

/** A word for a POSIX shell. */
export function quotedWord(word: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
