// Where the transcripts of single conversations lie now, by their ids, in any project folder of a config folder: what a
// record or a registry once said of the place may be long gone. And which other conversation began as a copy of one, as
// a resume under another id leaves it. A folder that cannot be searched is told, and is not one without a transcript.
import { dirname, join } from "node:path";
import { describeError, errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { readTranscriptLine } from "../../protocol/files/transcript.ts";
import type { FoundTranscript, GoesOn } from "../core/restore.ts";
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

/** A session writes a last line while the next one begins. */
const afterwordMs = 60_000;

/** Which conversation beside it began as a copy of this one, where nothing was added to this one since; the newest. */
export async function conversationGoingOn({ path, configDir, modifiedAt }: FoundTranscript): Promise<GoesOn> {
  const files = hostFiles(configDir);
  const own = nameOf(path);
  try {
    const first = await startOf(files, path);
    const folder = dirname(path);
    const names = (await files.list(folder)).filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"));
    const later: { readonly path: string; readonly modifiedAt: number }[] = [];
    for (const { name } of names.slice(0, limits.transcriptsFollowed)) {
      const other = join(folder, name);
      const stats = other === path ? undefined : await statOf(files, other);
      if (stats === undefined || stats.mtimeMs < modifiedAt) continue;
      const began = stats.birthtimeMs > 0 ? stats.birthtimeMs : stats.mtimeMs;
      if (modifiedAt <= began + afterwordMs) later.push({ path: other, modifiedAt: stats.mtimeMs });
    }
    later.sort((a, b) => b.modifiedAt - a.modifiedAt);
    for (const other of later.slice(0, startsRead)) {
      const start = await startOf(files, other.path);
      if (start.forkedFrom.has(own) || (first.uuid !== undefined && start.uuid === first.uuid))
        return { kind: "as", id: nameOf(other.path) };
    }
    return { kind: "here" };
  } catch (error) {
    return { kind: "cannot-tell", cause: describeError(error) };
  }
}

const startsRead = 50;

interface TranscriptStart {
  /** Of the first record that has one. */
  readonly uuid: string | undefined;
  readonly forkedFrom: ReadonlySet<string>;
}

async function startOf(files: FolderFiles, path: string): Promise<TranscriptStart> {
  const handle = await files.open(path);
  try {
    const buffer = Buffer.alloc(limits.transcriptHeadBytes);
    const { bytesRead } = await files.wait(() => handle.read(buffer, 0, buffer.length, 0));
    const text = buffer.toString("utf8", 0, bytesRead);
    // The last line may be cut.
    const lines = text.split("\n").slice(0, bytesRead < buffer.length ? undefined : -1);
    const records = lines.flatMap((line) => readTranscriptLine(jsonOf(line)) ?? []);
    return {
      uuid: records.find(({ uuid }) => uuid !== undefined)?.uuid,
      forkedFrom: new Set(records.flatMap(({ forkedFrom }) => forkedFrom?.sessionId ?? [])),
    };
  } finally {
    await handle.close();
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // eslint-disable-next-line no-restricted-syntax -- a line that is no JSON is no record
    return undefined;
  }
}

function nameOf(path: string): string {
  return /([^\\/]+)\.jsonl$/.exec(path)?.[1] ?? path;
}
