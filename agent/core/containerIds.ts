// Ids of containers in the names that the kernel tells: of control groups, and of the folders that an engine mounts into
// a container. Only whole names count; a longer or shorter id is another one.

/** Of a control group's path, the outermost first. */
export function idsOfGroup(path: string): readonly string[] {
  return path.split("/").flatMap((name) => /(?:^|[-_])([0-9a-f]{64})(?:\.scope)?$/.exec(name)?.[1] ?? []);
}

/** Of a mount's root: engines keep what is a container's own in a folder of that id, among those of all containers. */
export function idOfMount(root: string): string | undefined {
  return /\/(?:[a-z]+-)?containers\/([0-9a-f]{64})(?:\/|$)/.exec(root)?.[1];
}
