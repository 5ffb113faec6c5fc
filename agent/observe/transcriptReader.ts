// Reads one transcript along with its writer, and says what its row needs. Where the first read begins is
// `transcriptEnds.ts`, how the file is followed `fileFollower.ts`, what its lines mean `core/transcript.ts`.
import { basename } from "node:path";
import { limits } from "../../base/limits.ts";
import { openPlain, type OpenFile } from "../../base/node/readBounded.ts";
import { observed, type Observation, type SourceId } from "../../protocol/observation.ts";
import type { TranscriptFacts } from "../core/monitorEvent.ts";
import { emptyTranscript, transcriptLines, type TranscriptFold } from "../core/transcript.ts";
import { FileFollower, type FileRead } from "./fileFollower.ts";
import { readEnds, type TranscriptRead, type TranscriptWindow } from "./transcriptEnds.ts";

export interface ReaderOptions extends Partial<TranscriptWindow> {
  readonly openFile?: OpenFile;
}

export class TranscriptReader {
  readonly path: string;
  private readonly follower: FileFollower<TranscriptRead, TranscriptFold>;

  constructor(path: string, source: SourceId, { openFile = openPlain, ...given }: ReaderOptions = {}) {
    this.path = path;
    const window = { empty: emptyTranscript, tailCapBytes: limits.transcriptTailCapBytes, ...given };
    this.follower = new FileFollower({
      path,
      source,
      openFile,
      lines: transcriptLines,
      readAnew: (handle, size) => readEnds(handle, size, window),
    });
  }

  async read(at: number): Promise<Observation<TranscriptFacts>> {
    const read = await this.follower.read(at);
    return read.kind === "observed" ? observed(read.source, at, this.facts(read.value)) : read;
  }

  private facts({ read, fold, stat }: FileRead<TranscriptRead, TranscriptFold>): TranscriptFacts {
    const { head, windowCapped } = read;
    const titles = {
      custom: fold.titles.custom ?? head.titles.custom,
      agent: fold.titles.agent ?? head.titles.agent,
      prompt: head.titles.prompt ?? fold.titles.prompt,
    };
    return {
      id: basename(this.path, ".jsonl"),
      path: this.path,
      fold: { ...fold, titles },
      startCwd: head.firstCwd ?? fold.firstCwd,
      firstRecordAt: head.firstRecordAt ?? fold.firstRecordAt,
      modifiedAt: stat.mtimeMs,
      sizeBytes: stat.size,
      windowCapped,
    };
  }
}

/** What is known of a transcript that there was no time to read. */
export function unreadTranscript(path: string, modifiedAt: number): TranscriptFacts {
  return {
    id: basename(path, ".jsonl"),
    path,
    fold: emptyTranscript,
    startCwd: undefined,
    firstRecordAt: undefined,
    modifiedAt,
    sizeBytes: 0,
    windowCapped: true,
  };
}
