// The subagents of sessions that somebody works on: `<session id>/subagents/**/agent-<id>.jsonl`, each with a note
// beside it. The folder is walked anew at every look, since a nested one leaves its parents' times as they were; of
// what is there, the newest that have not finished are followed. Links are not.
import { join } from "node:path";
import { describeError, errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { readBounded } from "../../base/node/readBounded.ts";
import { readSubagentMeta } from "../../protocol/files/readSubagentMeta.ts";
import type { SubagentMeta } from "../../protocol/files/subagentMeta.ts";
import { observed, type Observation, type SourceId } from "../../protocol/observation.ts";
import type { MonitorEvent, SubagentFacts } from "../core/monitorEvent.ts";
import { emptySubagentTranscript } from "../core/transcript.ts";
import type { HasFile } from "../../base/node/fileStats.ts";
import type { FolderFiles } from "./folderFiles.ts";
import { SingleFlight } from "./singleFlight.ts";
import { TranscriptReader } from "./transcriptReader.ts";

const agentFile = /^agent-([A-Za-z0-9._-]{1,128})\.jsonl$/;

export interface SubagentsOptions {
  readonly configDir: string;
  readonly files: FolderFiles;
  readonly has: HasFile;
  readonly source: SourceId;
  readonly now: () => number;
  readonly emit: (events: readonly MonitorEvent[]) => void;
  readonly onFault: (error: unknown) => void;
}

interface Found {
  readonly agentId: string;
  readonly path: string;
  readonly identity: string;
  readonly modifiedAt: number;
}

interface Followed {
  readonly path: string;
  reader: TranscriptReader | undefined;
  identity: string;
  metaIdentity: string;
  meta: SubagentMeta | undefined;
  told: boolean;
  /** When it finished, where that was told. */
  finishedAt: number | undefined;
}

interface SessionFolder {
  /** The session's own folder, beside its transcript. */
  readonly folder: string;
  readonly agents: Map<string, Followed>;
  readonly flight: SingleFlight;
}

export class Subagents {
  private readonly options: SubagentsOptions;
  private readonly sessions = new Map<string, SessionFolder>();
  private readonly present = new Set<string>();

  constructor(options: SubagentsOptions) {
    this.options = options;
  }

  /** Folders of sessions that have subagents and are followed, for their watch. */
  get folders(): readonly string[] {
    return [...this.sessions].flatMap(([id, { folder }]) => (this.present.has(id) ? [folder] : []));
  }

  follows(sessionId: string): boolean {
    return this.sessions.has(sessionId);
  }

  /** @param folders of the sessions of interest, by id; of all others nothing is followed any more */
  async scan(folders: ReadonlyMap<string, string>): Promise<void> {
    for (const [id, { folder }] of [...this.sessions]) if (folders.get(id) !== folder) this.leave(id);
    for (const [id, folder] of folders) {
      if (!this.sessions.has(id)) this.sessions.set(id, this.newSession(id, folder));
      await this.touch(id);
    }
  }

  /** Something changed below this session's folder, or may have. */
  async touch(sessionId: string): Promise<void> {
    await this.sessions.get(sessionId)?.flight.run();
  }

  sessionOf(path: string): string | undefined {
    for (const [id, { folder }] of this.sessions) if (path === folder || path.startsWith(`${folder}/`)) return id;
    return undefined;
  }

  private newSession(id: string, folder: string): SessionFolder {
    const session: SessionFolder = {
      folder,
      agents: new Map(),
      flight: new SingleFlight(() => this.look(id, session), this.options.onFault),
    };
    return session;
  }

  private leave(id: string): void {
    for (const [agentId, followed] of this.sessions.get(id)?.agents ?? []) this.drop(id, agentId, followed);
    this.sessions.delete(id);
    this.present.delete(id);
  }

  private drop(sessionId: string, agentId: string, followed: Followed, finishedAt?: number): void {
    const { configDir } = this.options;
    if (followed.told || followed.finishedAt !== finishedAt)
      this.options.emit([{ kind: "subagent-left", configDir, sessionId, agentId, finishedAt }]);
    followed.told = false;
    followed.finishedAt = finishedAt;
    followed.reader = undefined;
  }

  private async look(id: string, session: SessionFolder): Promise<void> {
    const folder = join(session.folder, "subagents");
    const found: Found[] = [];
    if (!(await this.isThere(folder)) || !(await this.walk(folder, limits.subagentDepth, found))) return;
    this.present.add(id);
    found.sort((a, b) => b.modifiedAt - a.modifiedAt);
    let unfinished = 0;
    for (const file of found) {
      const followed = session.agents.get(file.agentId) ?? newFollowed(file.path);
      session.agents.set(file.agentId, followed);
      const noted = await this.readMeta(followed);
      const grew = followed.identity !== file.identity;
      if (followed.meta?.finished === true || unfinished >= limits.subagentsPerSession) {
        // Read once more where it grew, so that its end is known before it leaves.
        if (followed.told && grew) await this.read(id, file, followed);
        this.drop(id, file.agentId, followed, followed.meta?.finished === true ? file.modifiedAt : undefined);
        continue;
      }
      unfinished += 1;
      if (grew || noted || !followed.told) await this.read(id, file, followed);
    }
  }

  /** True where the note says something new. One that is torn or being written leaves what was known of it. */
  private async readMeta(followed: Followed): Promise<boolean> {
    const path = followed.path.replace(/\.jsonl$/, ".meta.json");
    const identity = (await this.statFile(path))?.identity;
    if (identity === undefined || identity === followed.metaIdentity) return false;
    const { open } = this.options.files;
    const read = await readBounded(path, limits.subagentMetaBytes, limits.fileReadDeadlineMs, open);
    const meta = read.kind === "read" ? parseMeta(read.bytes) : undefined;
    if (meta === undefined) return false;
    followed.metaIdentity = identity;
    followed.meta = meta;
    return true;
  }

  private async read(sessionId: string, file: Found, followed: Followed): Promise<void> {
    const { configDir, source, now } = this.options;
    followed.reader ??= new TranscriptReader(file.path, source, {
      empty: emptySubagentTranscript,
      openFile: this.options.files.open,
    });
    const transcript = await followed.reader.read(now());
    followed.identity = transcript.kind === "observed" ? file.identity : "";
    followed.told = true;
    followed.finishedAt = undefined;
    const { meta } = followed;
    const subagent: Observation<SubagentFacts> =
      transcript.kind === "observed"
        ? observed(source, transcript.at, { transcript: transcript.value, meta })
        : transcript;
    this.options.emit([{ kind: "subagent", configDir, sessionId, agentId: file.agentId, subagent }]);
  }

  /** Most sessions have none, and asking for it costs less than listing it. */
  private async isThere(folder: string): Promise<boolean> {
    try {
      return await this.options.has(folder);
    } catch {
      // The walk tells why.
      return true;
    }
  }

  /** False where there is no such folder. @throws what else keeps it from being listed */
  private async walk(folder: string, depth: number, found: Found[]): Promise<boolean> {
    let entries;
    try {
      entries = await this.options.files.list(folder);
    } catch (error) {
      if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return false;
      throw new Error(`${folder}: ${describeError(error)}`, { cause: error });
    }
    for (const entry of entries) {
      if (found.length >= limits.subagentFilesPerSession) return true;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && depth > 0) await this.walk(path, depth - 1, found);
      const agentId = entry.isFile() ? agentFile.exec(entry.name)?.[1] : undefined;
      if (agentId === undefined) continue;
      const file = await this.statFile(path);
      if (file !== undefined) found.push({ agentId, path, ...file });
    }
    return true;
  }

  /** Undefined where it is gone again. */
  private async statFile(path: string): Promise<Pick<Found, "identity" | "modifiedAt"> | undefined> {
    try {
      const stat = await this.options.files.look(path);
      return { identity: `${stat.ino}:${stat.size}:${stat.mtimeMs}`, modifiedAt: stat.mtimeMs };
    } catch (error) {
      // eslint-disable-next-line no-restricted-syntax -- gone again since it was listed
      if (errorCode(error) === "ENOENT") return undefined;
      // Not to be looked at is no reason to leave it out: the read tells why.
      return { identity: "", modifiedAt: 0 };
    }
  }
}

function newFollowed(path: string): Followed {
  return {
    path,
    reader: undefined,
    identity: "",
    metaIdentity: "",
    meta: undefined,
    told: false,
    finishedAt: undefined,
  };
}

function parseMeta(bytes: Buffer): SubagentMeta | undefined {
  try {
    return readSubagentMeta(JSON.parse(bytes.toString("utf8")));
  } catch {
    // eslint-disable-next-line no-restricted-syntax -- torn: what was known of it stays
    return undefined;
  }
}
