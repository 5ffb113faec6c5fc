// Which mount of this process a path lies on, and what is mounted below one. A folder that is gone while its own mount is
// still there was removed; one whose mount went with it only cannot be reached. Linux only: elsewhere it cannot be told.
import { readFileSync } from "node:fs";

interface Mount {
  readonly id: string;
  readonly parent: string;
  readonly point: string;
}

/**
 * The mount's number, which no other one has while it lives; undefined where it cannot be told.
 * @param path absolute and without links
 */
export function mountOf(path: string): string | undefined {
  const table = readTable();
  return table === undefined ? undefined : mountIn(table, path);
}

/**
 * The paths below it at which something is mounted; undefined where it cannot be told.
 * @param folder absolute and without links
 */
export function mountsBelow(folder: string): readonly string[] | undefined {
  const table = readTable();
  return table === undefined ? undefined : mountsBelowIn(table, folder);
}

export function mountsBelowIn(table: string, folder: string): readonly string[] {
  const points = table
    .split("\n")
    .flatMap(parseLine)
    .map(({ point }) => point);
  return points.filter((point) => point !== folder && isBelow(point, folder));
}

function readTable(): string | undefined {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8");
  } catch {
    return undefined;
  }
}

/** As the kernel walks: from the root, at each step into what is mounted nearest, so that hidden mounts do not count. */
export function mountIn(table: string, path: string): string | undefined {
  const mounts = table.split("\n").flatMap(parseLine);
  let at = mounts.find(
    ({ id, point, parent }) => point === "/" && !mounts.some((of) => of.id === parent && id !== parent),
  );
  for (let steps = 0; at !== undefined && steps <= mounts.length; steps += 1) {
    const next = nearestBelow(mounts, at, path);
    if (next === undefined) return at.id;
    at = next;
  }
  return undefined;
}

function nearestBelow(mounts: readonly Mount[], at: Mount, path: string): Mount | undefined {
  const below = mounts.filter(({ id, parent, point }) => parent === at.id && id !== at.id && isBelow(path, point));
  return below.sort((a, b) => a.point.length - b.point.length)[0];
}

function isBelow(path: string, point: string): boolean {
  return point === "/" || path === point || path.startsWith(`${point}/`);
}

function parseLine(line: string): readonly Mount[] {
  const [id, parent, , , point] = line.split(" ");
  if (id === undefined || parent === undefined || point === undefined) return [];
  return [{ id, parent, point: point.replaceAll(/\\([0-7]{3})/g, (_, code: string) => octal(code)) }];
}

function octal(code: string): string {
  return String.fromCharCode(Number.parseInt(code, 8));
}
