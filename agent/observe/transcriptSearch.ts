// Where the transcripts of single conversations lie now, by their ids, in any project folder of a config folder: what a
// record or a registry once said of the place may be long gone. A folder that cannot be searched is told, and is not one
// without a transcript.
import { join } from "node:path";
import { describeError, errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { FoundTranscript } from "../core/restore.ts";
import { hostFiles, type FolderFiles } from "./folderFiles.ts";
import { inParallel } from "./inParallel.ts";

export interface TranscriptPlaces {
  readonly found: ReadonlyMap<string, readonly FoundTranscript[]>;
  /** Why a part of the folder was not searched; undefined where all of it was. */
  readonly cause: string | undefined;
}

/** @param hints paths under which a transcript was last seen, however deep in the folder */
export async function searchTranscripts(
  configDir: string,
  ids: ReadonlySet<string>,
  hints: readonly string[],
): Promise<TranscriptPlaces> {
  const files = hostFiles(configDir);
  const projects = join(configDir, "projects");
  const found = new Map<string, FoundTranscript[]>();
  const seen = new Set<string>();
  const lookAt = async (id: string, path: string): Promise<void> => {
    if (seen.has(path)) return;
    seen.add(path);
    const stats = await statOf(files, path);
    if (stats?.isFile() !== true) return;
    const places = found.get(id) ?? [];
    places.push({ path, configDir, modifiedAt: stats.mtimeMs });
    found.set(id, places);
  };
  let cause: string | undefined;
  try {
    const folders = (await files.list(projects)).filter((entry) => entry.isDirectory());
    await inParallel(folders, limits.fileLooksAtOnce, async ({ name }) => {
      const folder = join(projects, name);
      try {
        for (const id of await idsIn(files, folder, ids)) await lookAt(id, join(folder, `${id}.jsonl`));
      } catch (error) {
        cause ??= `${folder}: ${describeError(error)}`;
      }
    });
    for (const path of hints) {
      const id = /([^\\/]+)\.jsonl$/.exec(path)?.[1];
      if (id !== undefined && ids.has(id) && path.startsWith(join(projects, "/"))) await lookAt(id, path);
    }
  } catch (error) {
    if (errorCode(error) !== "ENOENT") cause ??= describeError(error);
  }
  return { found, cause };
}

/** Few are asked for one by one; a listing answers for many. */
async function idsIn(files: FolderFiles, folder: string, ids: ReadonlySet<string>): Promise<readonly string[]> {
  if (ids.size <= fewIds) return [...ids];
  const names = (await files.list(folder)).map(({ name }) => name);
  return names.flatMap((name) => {
    const id = name.endsWith(".jsonl") ? name.slice(0, -".jsonl".length) : "";
    return ids.has(id) ? [id] : [];
  });
}

const fewIds = 16;

type FileStats = Awaited<ReturnType<FolderFiles["look"]>>;

/** Undefined where nothing is. @throws whatever else keeps it from being told */
async function statOf(files: FolderFiles, path: string): Promise<FileStats | undefined> {
  try {
    return await files.look(path);
  } catch (error) {
    // eslint-disable-next-line no-restricted-syntax -- that nothing is there is the answer
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}
