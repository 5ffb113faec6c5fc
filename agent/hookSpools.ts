// The spools of hooks as a source: looked at on file events and on a timer, since events do not cross every mount a
// sandbox writes through. An agent removes an event when what follows from it has been written down; who only observes
// once begins with what was written down, and removes nothing. How files are read is `observe/spoolReader.ts`, what
// follows from events `core/hookFacts.ts`.
import type { Scheduler, Timer } from "../base/clock.ts";
import { limits, periods } from "../base/limits.ts";
import { writeFileDurably } from "../base/node/atomicFile.ts";
import type { Log } from "../base/node/log.ts";
import { readBounded } from "../base/node/readBounded.ts";
import { absent, observed, unobserved, type Observation } from "../protocol/observation.ts";
import { hookFactsText, readHookFacts } from "./core/hookFactsText.ts";
import type { HookKnowledge } from "./core/hookKnowledge.ts";
import type { MonitorEvent } from "./core/monitorEvent.ts";
import { KeptWatch } from "./observe/keptWatch.ts";
import { SingleFlight } from "./observe/singleFlight.ts";
import { SpoolReader, type SpoolLook } from "./observe/spoolReader.ts";

/** What came meanwhile is written down together. */
const writeDelayMs = 500;

export interface HookSpoolsOptions {
  readonly spool: string;
  readonly hookFacts: string;
  /** False for one who leaves the events to the agent. */
  readonly removes: boolean;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly emit: (events: readonly MonitorEvent[]) => void;
  /** With everything that was emitted. */
  readonly known: () => HookKnowledge;
}

export class HookSpools {
  private readonly options: HookSpoolsOptions;
  private readonly reader: SpoolReader;
  private readonly looks: SingleFlight;
  private readonly watch: KeptWatch;
  private readonly timers = new Map<"look" | "write", Timer>();
  private running = false;
  private hasBegun = false;
  private isPresent = false;
  /** Files whose events were told. */
  private folded: ReadonlyMap<string, string> = new Map();
  private writing: Promise<void> = Promise.resolve();

  constructor(options: HookSpoolsOptions) {
    this.options = options;
    const { spool, scheduler, log } = options;
    this.reader = new SpoolReader(spool, () => scheduler.now());
    this.looks = new SingleFlight(
      () => this.look(),
      (error) => log.warn(`looking at ${spool} failed`, error),
    );
    this.watch = new KeptWatch(spool, {
      depth: 1,
      onChange: () => void this.looks.run(),
      onFault: (error) => log.warn(`file events of ${spool} failed; it is polled`, error),
    });
  }

  /** Resolves when the spools answered or failed. */
  scan(): Promise<void> {
    return this.looks.run();
  }

  start(): void {
    this.running = true;
    void this.round();
  }

  get watchedFolders(): number {
    return this.watch.folderCount;
  }

  async stop(): Promise<void> {
    this.running = false;
    for (const timer of this.timers.values()) timer.cancel();
    await this.watch.dispose();
    await this.writing;
    if (this.timers.delete("write")) await this.write();
  }

  private async round(): Promise<void> {
    await this.looks.run();
    if (this.running) await this.watch.keep(this.isPresent);
    if (this.running)
      this.timers.set(
        "look",
        this.options.scheduler.after(periods.hookSpoolMs, () => void this.round()),
      );
  }

  private async look(): Promise<void> {
    const { emit, scheduler, removes } = this.options;
    const at = scheduler.now();
    // First the events, then what was made of those that are gone: an agent may be removing some just now.
    const look = await this.reader.look();
    const kept = await this.begin();
    this.isPresent = look.state.kind !== "absent";
    const reads = look.reads.filter(({ events, refused }) => events.length > 0 || refused.size > 0);
    emit([
      ...kept,
      { kind: "hooks", spools: observation(look.state, at) },
      ...reads.map((read): MonitorEvent => ({ kind: "hook-spool", read })),
    ]);
    if (reads.length > 0) this.folded = this.reader.read;
    if (!removes || reads.length === 0) return;
    if (look.isMore) {
      await this.writeNow();
      void this.looks.run();
    } else if (!this.timers.has("write"))
      this.timers.set(
        "write",
        scheduler.after(writeDelayMs, () => void this.writeNow()),
      );
  }

  /** What an earlier agent made of events that are gone. */
  private async begin(): Promise<readonly MonitorEvent[]> {
    if (this.hasBegun) return [];
    this.hasBegun = true;
    const { hookFacts, log } = this.options;
    const read = await readBounded(hookFacts, limits.hookFactsBytes, limits.fileReadDeadlineMs);
    if (read.kind === "absent") return [];
    const kept = read.kind === "read" ? readHookFacts(read.bytes.toString("utf8")) : undefined;
    if (kept !== undefined) return [{ kind: "hooks-kept", kept }];
    log.warn(
      `what hooks told before could not be read from ${hookFacts}: ${read.kind === "unreadable" ? read.cause : "not its shape"}`,
    );
    return [];
  }

  private writeNow(): Promise<void> {
    this.timers.get("write")?.cancel();
    this.timers.delete("write");
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  /** Only then the events themselves may go. */
  private async write(): Promise<void> {
    const { hookFacts, known, scheduler, log } = this.options;
    const { folded } = this;
    try {
      await writeFileDurably(hookFacts, hookFactsText(known(), scheduler.now()));
      this.reader.remove(folded);
    } catch (error) {
      log.warn("what hooks told could not be written down, so their events stay", error);
    }
  }
}

function observation(state: SpoolLook["state"], at: number): Observation<"answers"> {
  switch (state.kind) {
    case "absent":
      return absent("hooks", at);
    case "looked":
      return observed("hooks", at, "answers");
    case "failed":
      return unobserved("hooks", at, state.cause);
  }
}
