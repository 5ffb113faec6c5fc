// Which other conversation began as a copy of one, as a resume under another id leaves it beside the older one. Each
// folder and each start is read once, however many are asked for.
import { dirname, join } from "node:path";
import { describeError, errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { readTranscriptLine } from "../../protocol/files/transcript.ts";
import type { FoundTranscript, GoesOn } from "../core/restore.ts";
import { hostFiles, type FolderFiles } from "./folderFiles.ts";

/** A session writes a last line while the next one begins. */
const afterwordMs = 60_000;
/** Of each conversation, the newest of those that changed after it. */
const startsRead = 50;

interface Neighbour {
  readonly path: string;
  readonly modifiedAt: number;
  readonly beganAt: number;
}

export class Continuations {
  private readonly files = new Map<string, FolderFiles>();
  private readonly folders = new Map<string, Promise<readonly Neighbour[]>>();
  private readonly starts = new Map<string, Promise<TranscriptStart>>();

  /** The newest one that began as its copy, where nothing was added to this one since. */
  async of({ path, configDir, modifiedAt }: FoundTranscript): Promise<GoesOn> {
    const files = kept(this.files, configDir, () => hostFiles(configDir));
    const own = nameOf(path);
    try {
      const first = await this.startOf(files, path);
      const neighbours = await kept(this.folders, dirname(path), () => neighboursIn(files, dirname(path)));
      const later = neighbours.filter(
        (other) => other.path !== path && other.modifiedAt >= modifiedAt && modifiedAt <= other.beganAt + afterwordMs,
      );
      for (const other of later.slice(0, startsRead)) {
        const start = await this.startOf(files, other.path);
        if (start.forkedFrom.has(own) || (first.uuid !== undefined && start.uuid === first.uuid))
          return { kind: "as", id: nameOf(other.path) };
      }
      return { kind: "here" };
    } catch (error) {
      return { kind: "cannot-tell", cause: describeError(error) };
    }
  }

  private startOf(files: FolderFiles, path: string): Promise<TranscriptStart> {
    return kept(this.starts, path, () => readStart(files, path));
  }
}

function kept<Value>(values: Map<string, Value>, key: string, make: () => Value): Value {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  values.set(key, made);
  return made;
}

/** The newest first. */
async function neighboursIn(files: FolderFiles, folder: string): Promise<readonly Neighbour[]> {
  const names = (await files.list(folder)).filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"));
  const reach = await files.reach(folder);
  const found: Neighbour[] = [];
  for (const { name } of names.slice(0, limits.sandboxFolderEntries)) {
    const path = join(folder, name);
    try {
      const { mtimeMs, birthtimeMs } = await reach.lstat(path);
      found.push({ path, modifiedAt: mtimeMs, beganAt: birthtimeMs > 0 ? birthtimeMs : mtimeMs });
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
    }
  }
  return found.sort((a, b) => b.modifiedAt - a.modifiedAt);
}

interface TranscriptStart {
  /** Of the first record that has one. */
  readonly uuid: string | undefined;
  readonly forkedFrom: ReadonlySet<string>;
}

async function readStart(files: FolderFiles, path: string): Promise<TranscriptStart> {
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
