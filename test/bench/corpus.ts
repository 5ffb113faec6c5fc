// The files that every benchmark runs on: 500 sessions with 300 MB of transcripts, 200 of them living processes with a
// record. Made from a seed, so that two runs read the same bytes; only times are today's.
import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { StandInWorld, type StandIn } from "../support/rollcall/standIn.ts";

export interface CorpusSize {
  readonly sessions: number;
  readonly live: number;
  readonly transcriptBytes: number;
}

export const wholeCorpus: CorpusSize = { sessions: 500, live: 200, transcriptBytes: 300e6 };

const sessionOfLine = uuid(99_999_999);
const minuteMs = 60_000;
const projects = 20;

export class Corpus {
  readonly standIns = new StandInWorld();
  readonly live: StandIn[] = [];
  private readonly random = seeded(20261130);
  private readonly size: CorpusSize;

  constructor(size: CorpusSize) {
    this.size = size;
    for (let index = 0; index < size.sessions; index += 1) this.addSession(index);
  }

  get configDir(): string {
    return this.standIns.configDir;
  }

  transcriptOf(session: StandIn): string {
    return this.transcriptPath(Number.parseInt(session.id, 10));
  }

  /** A line as the coding agent appends it. */
  append(session: StandIn, record: object): void {
    appendFileSync(this.transcriptOf(session), this.line(record, Date.now()));
  }

  /** So many files of one line each, in folders of a thousand, last touched two days ago. */
  addSmallFiles(count: number): void {
    const old = Date.now() / 1000 - 2 * 86_400;
    for (let index = 0; index < count; index += 1) {
      const folder = join(this.configDir, "projects", `-small-${Math.floor(index / 1_000)}`);
      if (index % 1_000 === 0) mkdirSync(folder);
      const path = join(folder, `${uuid(1_000_000 + index)}.jsonl`);
      writeFileSync(path, this.line({ type: "user", message: { content: "hello" } }, old * 1000));
      utimesSync(path, old, old);
    }
  }

  /** One transcript of 4 GB, most of it a hole; its last turn stands at its end. */
  addHugeTranscript(): void {
    const folder = join(this.configDir, "projects", "-huge");
    mkdirSync(folder);
    const file = openSync(join(folder, `${uuid(2_000_000)}.jsonl`), "w");
    const end = 4 * 2 ** 30;
    ftruncateSync(file, end);
    writeSync(file, `\n${this.turn(Date.now())}`, end);
    closeSync(file);
  }

  async close(): Promise<void> {
    await this.standIns.close();
  }

  private addSession(index: number): void {
    const endedAt = Date.now() - (10 + this.random() * 600) * minuteMs;
    const path = this.transcriptPath(index);
    mkdirSync(join(path, ".."), { recursive: true });
    const wanted = (this.size.transcriptBytes / this.size.sessions) * (0.5 + this.random());
    const pieces: string[] = [];
    for (let bytes = 0; bytes < wanted;) {
      const turn = this.turn(endedAt - Math.floor(this.random() * 600) * minuteMs);
      pieces.push(turn);
      bytes += turn.length;
    }
    writeFileSync(path, pieces.join("") + this.turn(endedAt));
    utimesSync(path, endedAt / 1000, endedAt / 1000);
    if (index < this.size.live)
      this.live.push(this.standIns.start(uuid(index), { status: "idle", name: `session ${index}` }));
  }

  /** A prompt, some calls with their results, an answer and the turn's end. */
  private turn(at: number): string {
    const lines = [this.line({ type: "user", message: { content: this.text(300) } }, at)];
    for (let call = 0; call < 1 + Math.floor(this.random() * 5); call += 1) {
      const id = `toolu_${Math.floor(this.random() * 1e12)}`;
      lines.push(
        this.line(
          {
            type: "assistant",
            message: {
              stop_reason: "tool_use",
              content: [{ type: "tool_use", id, name: "Bash", input: { command: this.text(200) } }],
            },
          },
          at,
        ),
        this.line(
          { type: "user", message: { content: [{ type: "tool_result", tool_use_id: id, content: this.text(4_000) }] } },
          at,
        ),
      );
    }
    lines.push(
      this.line(
        { type: "assistant", message: { stop_reason: "end_turn", content: [{ type: "text", text: this.text(800) }] } },
        at,
      ),
      this.line({ type: "system", subtype: "turn_duration", durationMs: 1_000 }, at),
    );
    return lines.join("");
  }

  /** With the fields that every line of the real agent has, and in its order: an answer's type stands behind it. */
  private line(record: object, at: number): string {
    const { type, ...said } = record as { type: string };
    const line = {
      parentUuid: this.uuidOfLine(),
      isSidechain: false,
      ...(type === "assistant" ? { ...said, requestId: `req_${this.uuidOfLine()}`, type } : { type, ...said }),
      uuid: this.uuidOfLine(),
      timestamp: new Date(at).toISOString(),
      ...(type === "user" ? {} : { session_id: sessionOfLine }),
      userType: "external",
      entrypoint: "cli",
      cwd: this.standIns.root,
      sessionId: sessionOfLine,
      version: "2.1.332",
      gitBranch: "main",
    };
    return `${JSON.stringify(line)}\n`;
  }

  private uuidOfLine(): string {
    return uuid(Math.floor(this.random() * 1e8));
  }

  private text(most: number): string {
    const length = 1 + Math.floor(this.random() * most);
    return "lorem ipsum dolor sit amet ".repeat(Math.ceil(length / 27)).slice(0, length);
  }

  private transcriptPath(index: number): string {
    return join(this.configDir, "projects", `-project-${index % projects}`, `${uuid(index)}.jsonl`);
  }
}

function uuid(index: number): string {
  return `${String(index).padStart(8, "0")}-0000-4000-8000-000000000000`;
}

/** A small generator of even numbers between 0 and 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
