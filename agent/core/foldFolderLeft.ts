// A config folder that is watched no more. Of one on this host nothing is kept, since it can be read again when somebody
// asks; of one that only a sandbox had, what it said stays for as long as an ended row does.
import type { EpochMs } from "../../base/clock.ts";
import { limits, recentMs } from "../../base/limits.ts";
import type { Draft } from "./monitorDraft.ts";
import { folderOf } from "./monitorDraft.ts";

export function foldFolderLeft(draft: Draft, configDir: string, at: EpochMs, isKept: boolean): void {
  draft.sources.delete(`pid-records:${configDir}`);
  draft.sources.delete(`transcripts:${configDir}`);
  if (isKept) folderOf(draft, configDir).leftAt = at;
  else forget(draft, configDir);
  const left = [...draft.folders].flatMap(([dir, { leftAt }]) => (leftAt === undefined ? [] : [{ dir, leftAt }]));
  left.sort((a, b) => b.leftAt - a.leftAt);
  for (const [index, { dir, leftAt }] of left.entries())
    if (index >= limits.sandboxFolders || at - leftAt > recentMs) forget(draft, dir);
}

function forget(draft: Draft, configDir: string): void {
  draft.folders.delete(configDir);
  draft.ownedFolders.delete(configDir);
  for (const [key, row] of draft.remembered)
    if (row.configDir === configDir && !row.registry.recorded) draft.remembered.delete(key);
  for (const [instance, claims] of draft.claims)
    if (claims.every((claim) => claim.configDir === configDir)) draft.claims.delete(instance);
}
