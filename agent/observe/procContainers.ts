// Which containers a process' control group names. The kernel tells it of every process to everybody, and what runs
// inside can only add further groups below its own. Whether an engine has such a container is not asked here.
import { idsOfGroup } from "../core/containerIds.ts";
import { readProcText } from "./procText.ts";

let own: readonly string[] | undefined;

/**
 * The outermost first, without those that this process is in itself; undefined where none is named, or the hierarchies
 * disagree on the outermost.
 */
export function containersOf(pid: number): readonly string[] | undefined {
  own ??= containersIn(readProcText("/proc/self/cgroup")) ?? [];
  const { length } = own;
  const all = containersIn(readProcText(`/proc/${pid}/cgroup`));
  const others = own.every((id, index) => all?.[index] === id) ? all?.slice(length) : all;
  return others?.length === 0 ? undefined : others;
}

export function containersIn(cgroups: string): readonly string[] | undefined {
  let found: readonly string[] | undefined;
  for (const line of cgroups.split("\n")) {
    const path = line.split(":").slice(2).join(":");
    const ids = idsOfGroup(path);
    if (ids.length === 0) continue;
    if (found !== undefined && found[0] !== ids[0]) return undefined;
    if (found === undefined || ids.length > found.length) found = ids;
  }
  return found;
}
