// Folders as text, of either kind of machine: the agent may run where this code does not.

/** The last part; the whole of a root. */
export function folderName(path: string): string {
  return parts(path).at(-1) ?? path;
}

/** Undefined for a root, and for what has only one part. */
export function parentFolder(path: string): string | undefined {
  const trimmed = trimEnd(path);
  const cut = Math.max(trimmed.lastIndexOf("/"), trimmed.lastIndexOf("\\"));
  if (cut < 0 || cut === trimmed.length - 1) return undefined;
  return cut === 0 ? trimmed.slice(0, 1) : trimmed.slice(0, cut);
}

/** The user's home as `~`. */
export function tildePath(path: string, homeDir: string | undefined): string {
  if (homeDir === undefined || homeDir === "" || !path.startsWith(homeDir)) return path;
  const rest = path.slice(homeDir.length);
  return rest === "" || /^[\\/]/.test(rest) ? `~${rest}` : path;
}

function parts(path: string): readonly string[] {
  return path.split(/[\\/]+/).filter((part) => part !== "");
}

function trimEnd(path: string): string {
  return path.length > 1 ? path.replace(/[\\/]+$/, "") : path;
}
