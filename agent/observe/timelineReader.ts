// Reads one transcript for its timeline, only while somebody watches the session: first from its end, reading back
// until enough turns were seen or a cap is reached, then along with its writer, as `fileFollower.ts` does. What the lines
// mean is decided in core.
import { limits } from "../../base/limits.ts";
import type { ReadableFile } from "../../base/node/readableFile.ts";
import { openPlain } from "../../base/node/readBounded.ts";
import { observed, type Observation, type SourceId } from "../../protocol/observation.ts";
import { timelineLines } from "../core/timeline.ts";
import { emptyTimeline, type TimelineFold } from "../core/timelineItems.ts";
import { FileFollower } from "./fileFollower.ts";
import { foldRange, lineStartAfter, type LinesRead } from "./fileRange.ts";

export interface TimelineRead {
  readonly fold: TimelineFold;
  /** Bytes before the part that was read. */
  readonly bytesNotRead: number;
}

type TimelineLines = LinesRead<TimelineFold> & TimelineRead;

export class TimelineReader {
  readonly path: string;
  private readonly follower: FileFollower<TimelineLines, TimelineFold>;

  constructor(path: string, source: SourceId, empty: TimelineFold = emptyTimeline) {
    this.path = path;
    this.follower = new FileFollower({
      path,
      source,
      openFile: openPlain,
      lines: timelineLines,
      readAnew: (handle, size) => readBack(handle, size, empty),
    });
  }

  async read(at: number): Promise<Observation<TimelineRead>> {
    const found = await this.follower.read(at);
    if (found.kind !== "observed") return found;
    const { read, fold } = found.value;
    return observed(found.source, at, { fold, bytesNotRead: read.bytesNotRead });
  }
}

async function readBack(handle: ReadableFile, size: number, fold: TimelineFold): Promise<TimelineLines> {
  for (let window = limits.timelineTailBytes; ; window *= 2) {
    const from = Math.max(0, size - window);
    const isAll = from === 0 || window >= limits.timelineTailCapBytes;
    // A line that the window cuts is passed over; the one before it may end exactly there.
    const start = from === 0 ? 0 : await lineStartAfter(handle, from - 1, size);
    if (start === undefined) {
      if (!isAll) continue;
      return { fold, offset: size, skipping: true, unclosed: { kind: "too-long" }, bytesNotRead: size };
    }
    const read = await foldRange(handle, { from: start, to: size }, { fold, skipping: false }, timelineLines);
    const turns = read.fold.items.length + read.fold.itemsDropped;
    if (isAll || turns > limits.timelineItems) return { ...read, bytesNotRead: start };
  }
}
