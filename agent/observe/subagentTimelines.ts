// The timelines of one session's subagents, read only while somebody watches the session: `<session id>/subagents/**`,
// the files that were written last. What could not be read stays as last known. Where the row's subagents are followed is
// `subagents.ts`; under which call each one stands is decided in core.
import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { Patience } from "../../base/node/patience.ts";
import { fileIdentity, readBounded } from "../../base/node/readBounded.ts";
import { readSubagentMeta } from "../../protocol/files/readSubagentMeta.ts";
import type { SubagentMeta } from "../../protocol/files/subagentMeta.ts";
import type { SourceId } from "../../protocol/observation.ts";
import type { SubagentTimeline } from "../core/subagentTools.ts";
import { emptySubagentTimeline, type TimelineFold } from "../core/timelineItems.ts";
import { TimelineReader } from "./timelineReader.ts";

const agentFile = /^agent-([A-Za-z0-9._-]{1,128})\.jsonl$/;

interface Found {
  readonly agentId: string;
  readonly path: string;
  readonly identity: string;
  readonly modifiedAt: number;
}

interface Known {
  readonly reader: TimelineReader;
  /** As it was when it was last read whole. */
  identity: string;
  modifiedAt: number;
  meta: SubagentMeta | undefined;
  fold: TimelineFold;
}

export class SubagentTimelines {
  private readonly folder: string;
  private readonly source: SourceId;
  private readonly patience: Patience;
  private readonly known = new Map<string, Known>();

  /** @param transcript the session's own */
  constructor(transcript: string, source: SourceId) {
    this.folder = join(transcript.replace(/\.jsonl$/, ""), "subagents");
    this.source = source;
    this.patience = new Patience(this.folder, limits.fileReadDeadlineMs);
  }

  /** Those that are known, after a look at what is there. */
  async read(at: number): Promise<readonly SubagentTimeline[]> {
    // A look that failed leaves what was read before.
    await Promise.allSettled([this.look(at)]);
    const newest = [...this.known].sort(([, a], [, b]) => b.modifiedAt - a.modifiedAt);
    for (const [agentId] of newest.splice(limits.timelineSubagents)) this.known.delete(agentId);
    return newest.map(([agentId, { meta, fold }]) => ({ agentId, meta, fold }));
  }

  private async look(at: number): Promise<void> {
    const found: Found[] = [];
    await this.walk(this.folder, limits.subagentDepth, found);
    found.sort((a, b) => b.modifiedAt - a.modifiedAt);
    for (const file of found.slice(0, limits.timelineSubagents)) await this.readChanged(file, at);
  }

  private async readChanged({ agentId, path, identity, modifiedAt }: Found, at: number): Promise<void> {
    const before = this.known.get(agentId);
    if (before?.identity === identity && before.meta !== undefined) return;
    const known = before ?? {
      reader: new TimelineReader(path, this.source, emptySubagentTimeline),
      identity: "",
      modifiedAt,
      meta: undefined,
      fold: emptySubagentTimeline,
    };
    known.modifiedAt = modifiedAt;
    known.meta ??= await readMeta(path.replace(/\.jsonl$/, ".meta.json"));
    const read = known.identity === identity ? undefined : await this.patience.wait(() => known.reader.read(at));
    if (read?.kind === "observed") {
      known.fold = read.value.fold;
      known.identity = identity;
    }
    this.known.set(agentId, known);
  }

  private async walk(folder: string, depth: number, found: Found[]): Promise<void> {
    for (const entry of await this.list(folder)) {
      if (found.length >= limits.subagentFilesPerSession) return;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && depth > 0) await this.walk(path, depth - 1, found);
      const agentId = entry.isFile() ? agentFile.exec(entry.name)?.[1] : undefined;
      if (agentId === undefined) continue;
      const stat = await this.patience.wait(() => lstat(path));
      found.push({ agentId, path, identity: fileIdentity(stat), modifiedAt: stat.mtimeMs });
    }
  }

  /** Most sessions have none. */
  private async list(folder: string): Promise<readonly Dirent[]> {
    try {
      return await this.patience.wait(() => readdir(folder, { withFileTypes: true }));
    } catch (error) {
      // eslint-disable-next-line no-restricted-syntax -- without the folder there are none, and known ones stay
      if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return [];
      throw error;
    }
  }
}

async function readMeta(path: string): Promise<SubagentMeta | undefined> {
  const read = await readBounded(path, limits.subagentMetaBytes, limits.fileReadDeadlineMs);
  try {
    return read.kind === "read" ? readSubagentMeta(JSON.parse(read.bytes.toString("utf8"))) : undefined;
  } catch {
    // eslint-disable-next-line no-restricted-syntax -- torn: it is read again at the next look
    return undefined;
  }
}
