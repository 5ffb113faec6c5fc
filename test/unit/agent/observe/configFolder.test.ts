// One config folder: what changes in it is told within a second by events, and by the poll where none comes; one
// that appears, goes and comes back is followed all the same.
import assert from "node:assert/strict";
import { appendFileSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { hostFiles } from "../../../../agent/observe/folderFiles.ts";
import { ConfigFolderObserver } from "../../../../agent/observe/configFolder.ts";
import type { Scheduler } from "../../../../base/clock.ts";
import { nodeScheduler } from "../../../../base/node/nodeScheduler.ts";
import { until } from "../../../support/claude/until.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

/** What the product promises, and what a loaded machine may add. */
const withinMs = 3_000;
const longMs = 15_000;

/** Timers that run when the test says so; the time is the real one. */
class HandTimers implements Scheduler {
  private due = new Set<() => void>();

  now(): number {
    return Date.now();
  }

  after(_delayMs: number, run: () => void): { cancel(): void } {
    this.due.add(run);
    return { cancel: () => this.due.delete(run) };
  }

  runAll(): void {
    const due = this.due;
    this.due = new Set();
    for (const run of due) run();
  }
}

type Told = (event: MonitorEvent) => boolean;

class Watched {
  readonly configDir: string;
  readonly sessions: string;
  readonly projects: string;
  readonly observer: ConfigFolderObserver;
  readonly interesting = new Set<string>();
  readonly warnings: string[] = [];
  private events: MonitorEvent[] = [];

  constructor(t: TestContext, scheduler: Scheduler = nodeScheduler) {
    this.configDir = join(scratchFolder(t), ".claude");
    this.sessions = join(this.configDir, "sessions");
    this.projects = join(this.configDir, "projects");
    this.observer = new ConfigFolderObserver({
      configDir: this.configDir,
      files: hostFiles(this.configDir),
      scheduler,
      log: { info: () => undefined, warn: (message) => this.warnings.push(message) },
      emit: (events) => this.events.push(...events),
      interesting: () => this.interesting,
    });
    t.after(() => this.observer.stop());
  }

  makeFolders(): void {
    mkdirSync(this.sessions, { recursive: true });
    mkdirSync(join(this.projects, "-app"), { recursive: true });
  }

  /** Starts and resolves once both folders are watched, with what was told so far forgotten. */
  async start(): Promise<void> {
    this.observer.start();
    await until("both folders are watched", () => this.observer.watchedFolders >= 3, { deadlineMs: longMs });
    await this.settle();
  }

  /** Until the looks that the watch itself asked for are over. */
  async settle(): Promise<void> {
    await this.observer.scanRecords();
    await this.observer.scanTranscripts();
    this.events = [];
  }

  writeRecord(pid: number, status: string): void {
    writeFileSync(join(this.sessions, `${pid}.json`), JSON.stringify({ pid, sessionId: `session-${pid}`, status }));
  }

  transcript(id: string): string {
    return join(this.projects, "-app", `${id}.jsonl`);
  }

  async told(what: string, is: Told | readonly Told[], deadlineMs = withinMs): Promise<void> {
    await until(what, () => [is].flat().every((each) => this.events.some(each)), {
      deadlineMs,
      seen: () => this.events,
    });
    this.events = [];
  }
}

const prompt = `${JSON.stringify({ type: "user", message: { content: "begin" } })}\n`;
const recordSays =
  (pid: number, status: string) =>
  (event: MonitorEvent): boolean =>
    event.kind === "pid-record" &&
    event.record.kind === "observed" &&
    event.record.value.pid === pid &&
    event.record.value.status === status;
const transcriptOf =
  (path: string, sizeBytes: number) =>
  (event: MonitorEvent): boolean =>
    event.kind === "transcript" &&
    event.path === path &&
    event.transcript.kind === "observed" &&
    event.transcript.value.sizeBytes === sizeBytes;
const listingIs =
  (source: "pid-record-listing" | "transcript-listing", kind: string) =>
  (event: MonitorEvent): boolean =>
    event.kind === source && event.listing.kind === kind;

describe("events", () => {
  it("tell of a record that appears and changes", async (t) => {
    const watched = new Watched(t);
    watched.makeFolders();
    await watched.start();
    watched.writeRecord(7, "busy");
    await watched.told("the record", recordSays(7, "busy"));
    watched.writeRecord(7, "idle");
    await watched.told("its change", recordSays(7, "idle"));
  });

  it("tell of a transcript that appears and grows, in a known project and in a new one", async (t) => {
    const watched = new Watched(t);
    watched.makeFolders();
    await watched.start();
    writeFileSync(watched.transcript("one"), prompt);
    await watched.told("the transcript", transcriptOf(watched.transcript("one"), prompt.length));
    appendFileSync(watched.transcript("one"), prompt);
    await watched.told("its growth", transcriptOf(watched.transcript("one"), 2 * prompt.length));
    const folder = join(watched.projects, "-new");
    mkdirSync(folder);
    writeFileSync(join(folder, "two.jsonl"), prompt);
    await watched.told("the new project's", transcriptOf(join(folder, "two.jsonl"), prompt.length));
  });
});

describe("the poll", () => {
  it("finds what no event told: a change by another name of the same file", async (t) => {
    const timers = new HandTimers();
    const watched = new Watched(t, timers);
    watched.makeFolders();
    watched.writeRecord(7, "busy");
    writeFileSync(watched.transcript("one"), prompt);
    watched.interesting.add("one");
    // Events name the folder that the change came through, and that one is not watched.
    const elsewhere = join(watched.configDir, "elsewhere");
    mkdirSync(elsewhere);
    linkSync(join(watched.sessions, "7.json"), join(elsewhere, "7.json"));
    linkSync(watched.transcript("one"), join(elsewhere, "one.jsonl"));
    await watched.start();
    writeFileSync(join(elsewhere, "7.json"), JSON.stringify({ pid: 7, sessionId: "session-7", status: "idle" }));
    appendFileSync(join(elsewhere, "one.jsonl"), prompt);
    timers.runAll();
    await watched.told("both", [recordSays(7, "idle"), transcriptOf(watched.transcript("one"), 2 * prompt.length)]);
  });

  it("finds a folder that is made later, and watches it from then on", async (t) => {
    const watched = new Watched(t);
    watched.observer.start();
    await watched.told("no records", listingIs("pid-record-listing", "absent"));
    await watched.told("no transcripts", listingIs("transcript-listing", "absent"));
    watched.makeFolders();
    watched.writeRecord(7, "busy");
    writeFileSync(watched.transcript("one"), prompt);
    await watched.told("the transcript", transcriptOf(watched.transcript("one"), prompt.length));
    await until("both are watched", () => watched.observer.watchedFolders >= 3, { deadlineMs: longMs });
    await watched.settle();
    watched.writeRecord(7, "idle");
    await watched.told("the record's change", recordSays(7, "idle"));
  });

  it("tells a folder that went away as unobserved, and follows it again by events when it is back", async (t) => {
    const watched = new Watched(t);
    watched.makeFolders();
    watched.writeRecord(7, "busy");
    await watched.start();
    renameSync(watched.configDir, `${watched.configDir}.away`);
    await watched.told("its records are not observed", listingIs("pid-record-listing", "unobserved"), longMs);
    await watched.told("its transcripts are not observed", listingIs("transcript-listing", "unobserved"), longMs);
    rmSync(`${watched.configDir}.away`, { recursive: true });
    watched.makeFolders();
    await watched.told("it is back", listingIs("pid-record-listing", "observed"), longMs);
    await watched.told("with its transcripts", listingIs("transcript-listing", "observed"), longMs);
    await until("it is watched again", () => watched.observer.watchedFolders >= 3, { deadlineMs: longMs });
    await watched.settle();
    watched.writeRecord(8, "busy");
    await watched.told("a record", recordSays(8, "busy"));
    writeFileSync(watched.transcript("one"), prompt);
    await watched.told("a transcript", transcriptOf(watched.transcript("one"), prompt.length));
    assert.deepEqual(watched.warnings, []);
  });
});

describe("a folder that was replaced between two looks", () => {
  it("is watched in the place of the old one", async (t) => {
    const timers = new HandTimers();
    const watched = new Watched(t, timers);
    watched.makeFolders();
    await watched.start();
    for (const folder of [watched.sessions, watched.projects]) renameSync(folder, `${folder}.old`);
    watched.makeFolders();
    await until(
      "record and transcript are told by their events",
      async () => {
        timers.runAll();
        await watched.settle();
        watched.writeRecord(7, "busy");
        writeFileSync(watched.transcript("one"), prompt);
        try {
          const both = [recordSays(7, "busy"), transcriptOf(watched.transcript("one"), prompt.length)];
          await watched.told("both", both, 300);
          return true;
        } catch {
          rmSync(join(watched.sessions, "7.json"));
          rmSync(watched.transcript("one"));
          return false;
        }
      },
      { deadlineMs: longMs },
    );
  });
});

describe("a stopped observer", () => {
  it("watches nothing, and looks no more", async (t) => {
    const timers = new HandTimers();
    const watched = new Watched(t, timers);
    watched.makeFolders();
    await watched.start();
    await watched.observer.stop();
    timers.runAll();
    watched.writeRecord(7, "busy");
    assert.equal(watched.observer.watchedFolders, 0);
  });
});
