// Which terminal a session runs in: the one whose shell is the session's process or its nearest ancestor.

/**
 * @param chain the session's process, its parent, its parent's parent, and so on
 * @param terminalPids the process of each terminal; undefined where it has none
 */
export function nearestTerminal(
  chain: readonly number[],
  terminalPids: readonly (number | undefined)[],
): number | undefined {
  for (const pid of chain) {
    const index = terminalPids.indexOf(pid);
    if (index >= 0) return index;
  }
  return undefined;
}
