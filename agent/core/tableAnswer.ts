// Whether a process table is an answer at all, and how its one-line commands come apart. Used where the kernel
// cannot be asked for an argument vector.

export interface TableCheck {
  readonly pids: ReadonlySet<number>;
  readonly ownPid: number;
  /** Pids that the kernel shows alive before and after the table was made. */
  readonly knownAlive: readonly number[];
}

/** Why a table is none, in words; undefined where it is whole as far as can be told. */
export function tableFault({ pids, ownPid, knownAlive }: TableCheck): string | undefined {
  if (pids.size === 0) return "an empty table";
  if (!pids.has(ownPid)) return "a short table, it lacks the agent's own process";
  const missing = knownAlive.find((pid) => !pids.has(pid));
  return missing === undefined ? undefined : `a short table, it lacks process ${missing}, which the kernel shows alive`;
}

/**
 * A command line into its arguments: quotes hold a piece together, and a known executable's path is one piece
 * although it has spaces.
 */
export function splitCommandLine(command: string, executable: string | undefined): readonly string[] {
  if (executable !== undefined && executable !== "" && command.startsWith(executable)) {
    const rest = command.slice(executable.length);
    if (rest === "" || /^\s/.test(rest)) return [executable, ...splitQuoted(rest)];
  }
  return splitQuoted(command);
}

function splitQuoted(text: string): readonly string[] {
  return [...text.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? "");
}
