// A process and its ancestors, from what the system says of each parent.

/** Deeper than any real tree of shells; a ring in a torn table ends here too. */
const depthAtMost = 64;

/** @param text of /proc/<pid>/stat, whose second field may hold blanks and parentheses; undefined if torn */
export function parentFromStat(text: string): number | undefined {
  const fields = text
    .slice(text.lastIndexOf(")") + 1)
    .trim()
    .split(/\s+/);
  return pidFrom(fields[1]);
}

/** @param text of `ps -A -o pid=,ppid=` */
export function parentsFromPs(text: string): ReadonlyMap<number, number> {
  const parents = new Map<number, number>();
  for (const line of text.split("\n")) {
    const [pid, parent] = line.trim().split(/\s+/).map(pidFrom);
    if (pid !== undefined && parent !== undefined) parents.set(pid, parent);
  }
  return parents;
}

/** The process first, its eldest ancestor last; a parent that cannot be told ends the chain. */
export async function ancestryOf(
  pid: number,
  parentOf: (pid: number) => Promise<number | undefined> | number | undefined,
): Promise<readonly number[]> {
  const chain = [pid];
  while (chain.length < depthAtMost) {
    const parent = await parentOf(chain.at(-1) ?? pid);
    if (parent === undefined || parent <= 1 || chain.includes(parent)) break;
    chain.push(parent);
  }
  return chain;
}

function pidFrom(field: string | undefined): number | undefined {
  return field !== undefined && /^\d{1,10}$/.test(field) ? Number(field) : undefined;
}
