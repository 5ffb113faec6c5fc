// The transcripts of one config folder: which are followed, which only counted, and what is told when a folder or
// a file cannot be asked.
import assert from "node:assert/strict";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { MonitorEvent, TranscriptFacts, TranscriptListing } from "../../../../agent/core/monitorEvent.ts";
import { hostFiles } from "../../../../agent/observe/folderFiles.ts";
import { Transcripts } from "../../../../agent/observe/transcripts.ts";
import type { Observation } from "../../../../protocol/observation.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

const dayMs = 86_400_000;
const prompt = (text: string): string => `${JSON.stringify({ type: "user", message: { content: text } })}\n`;

class Projects {
  readonly configDir: string;
  readonly folder: string;
  readonly transcripts: Transcripts;
  readonly interesting = new Set<string>();
  private events: MonitorEvent[] = [];

  constructor(t: TestContext) {
    this.configDir = scratchFolder(t);
    chmodSync(this.configDir, 0o755);
    this.folder = join(this.configDir, "projects");
    mkdirSync(this.folder);
    this.transcripts = new Transcripts({
      configDir: this.configDir,
      files: hostFiles(this.configDir),
      now: () => Date.now(),
      emit: (events) => this.events.push(...events),
      interesting: () => this.interesting,
      onFault: (error) => assert.fail(String(error)),
    });
  }

  path(project: string, id: string): string {
    return join(this.folder, project, `${id}.jsonl`);
  }

  write(project: string, id: string, ageMs = 0): string {
    mkdirSync(join(this.folder, project), { recursive: true });
    const path = this.path(project, id);
    writeFileSync(path, prompt(id));
    const at = new Date(Date.now() - ageMs);
    utimesSync(path, at, at);
    return path;
  }

  async scan(): Promise<Told> {
    this.events = [];
    await this.transcripts.scan();
    const listings = this.events.flatMap((event) => (event.kind === "transcript-listing" ? [event.listing] : []));
    assert.equal(listings.length, 1, "each scan tells of its listing, once");
    return { listing: listings[0] as Observation<TranscriptListing>, read: transcriptsIn(this.events) };
  }

  async touch(project: string, name: string): Promise<ReadonlyMap<string, Observation<TranscriptFacts>>> {
    this.events = [];
    await this.transcripts.touch(join(this.folder, project), name);
    return this.told();
  }

  /** The last that was told of each file since the last scan began. */
  told(): ReadonlyMap<string, Observation<TranscriptFacts>> {
    return transcriptsIn(this.events);
  }
}

interface Told {
  readonly listing: Observation<TranscriptListing>;
  /** The last that was told of each file. */
  readonly read: ReadonlyMap<string, Observation<TranscriptFacts>>;
}

function transcriptsIn(events: readonly MonitorEvent[]): ReadonlyMap<string, Observation<TranscriptFacts>> {
  return new Map(events.flatMap((event) => (event.kind === "transcript" ? [[event.path, event.transcript]] : [])));
}

function listingOf({ listing }: Told): Omit<TranscriptListing, "answersFor"> {
  assert.ok(listing.kind === "observed", JSON.stringify(listing));
  const { recent, older } = listing.value;
  return { recent, older };
}

function assertUnobserved(observation: Observation<unknown> | undefined, cause: RegExp): void {
  assert.ok(observation?.kind === "unobserved", JSON.stringify(observation));
  assert.match(observation.cause, cause);
}

/** As a user who may not read everything: for root nothing is unreadable. */
async function asOrdinaryUser<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

describe("the folder of the projects", () => {
  it("is absent where it never was, unobserved once it is gone after having been seen", async (t) => {
    const projects = new Projects(t);
    renameSync(projects.folder, `${projects.folder}.away`);
    assert.equal((await projects.scan()).listing.kind, "absent");
    renameSync(`${projects.folder}.away`, projects.folder);
    const path = projects.write("-app", "one");
    assert.deepEqual([...listingOf(await projects.scan()).recent], [path]);
    renameSync(projects.folder, `${projects.folder}.away`);
    const { listing, read } = await projects.scan();
    assertUnobserved(listing, /gone after having been seen/);
    assert.equal(read.size, 0);
  });

  it("is unobserved when it may not be read", async (t) => {
    const projects = new Projects(t);
    const path = projects.write("-app", "one");
    await projects.scan();
    chmodSync(projects.folder, 0o000);
    assertUnobserved((await asOrdinaryUser(() => projects.scan())).listing, /EACCES/);
    chmodSync(projects.folder, 0o755);
    assert.deepEqual([...listingOf(await projects.scan()).recent], [path]);
  });

  it("is observed as empty when it is, and its files that are no folders are none", async (t) => {
    const projects = new Projects(t);
    writeFileSync(join(projects.folder, "stray.jsonl"), prompt("stray"));
    symlinkSync("/", join(projects.folder, "link"));
    assert.deepEqual(listingOf(await projects.scan()), { recent: new Set(), older: 0 });
  });
});

describe("a project folder", () => {
  it("that appears is read, with its transcripts only", async (t) => {
    const projects = new Projects(t);
    await projects.scan();
    const path = projects.write("-app", "one");
    mkdirSync(join(projects.folder, "-app", "one", "subagents"), { recursive: true });
    mkdirSync(join(projects.folder, "-app", "folder.jsonl"));
    writeFileSync(join(projects.folder, "-app", "notes.txt"), "");
    symlinkSync(path, join(projects.folder, "-app", "link.jsonl"));
    const told = await projects.scan();
    assert.deepEqual([...listingOf(told).recent], [path]);
    assert.deepEqual([...told.read.keys()], [path]);
  });

  it("is listed whatever its time says", async (t) => {
    const projects = new Projects(t);
    const path = projects.write("-app", "one");
    utimesSync(join(projects.folder, "-app"), 0, 0);
    assert.deepEqual([...listingOf(await projects.scan()).recent], [path]);
  });

  it("that may not be listed makes the source unobserved; what is in the others is told", async (t) => {
    const projects = new Projects(t);
    const path = projects.write("-app", "one");
    projects.write("-closed", "two");
    chmodSync(join(projects.folder, "-closed"), 0o000);
    const told = await asOrdinaryUser(() => projects.scan());
    assertUnobserved(told.listing, /-closed: EACCES/);
    assert.deepEqual([...told.read.keys()], [path]);
  });

  it("whose files may be listed and not looked at makes the source unobserved: they are not old", async (t) => {
    const projects = new Projects(t);
    const path = projects.write("-closed", "two");
    chmodSync(join(projects.folder, "-closed"), 0o444);
    assertUnobserved((await asOrdinaryUser(() => projects.scan())).listing, /-closed: EACCES/);
    chmodSync(join(projects.folder, "-closed"), 0o755);
    const told = await projects.scan();
    assert.deepEqual(listingOf(told), { recent: new Set([path]), older: 0 });
    assert.equal(told.read.get(path)?.kind, "observed");
  });

  it("that was closed after it was read tells nothing of its transcripts' end", async (t) => {
    const projects = new Projects(t);
    const path = projects.write("-app", "one");
    await projects.scan();
    chmodSync(join(projects.folder, "-app"), 0o000);
    const { listing, read } = await asOrdinaryUser(() => projects.scan());
    if (listing.kind === "observed") assert.ok(listing.value.recent.has(path));
    assert.notEqual(read.get(path)?.kind, "absent");
  });

  it("that was removed takes its transcripts with it, since its parent says so", async (t) => {
    const projects = new Projects(t);
    const path = projects.write("-app", "one");
    const other = projects.write("-other", "two");
    await projects.scan();
    rmSync(join(projects.folder, "-app"), { recursive: true });
    const told = await projects.scan();
    assert.deepEqual([...listingOf(told).recent], [other]);
    assert.equal(told.read.get(path)?.kind, "absent");
    assert.equal(projects.transcripts.followedCount, 1);
  });
});

describe("a transcript's file", () => {
  it("that appears in a known folder is read, even at once after the folder was listed", async (t) => {
    const projects = new Projects(t);
    for (let round = 0; round < 20; round += 1) {
      projects.write("-app", `a${round}`);
      await projects.scan();
      const late = projects.write("-app", `b${round}`);
      assert.ok((await projects.scan()).read.has(late), `round ${round}`);
    }
  });

  it("is read again when it grew or was replaced, and not otherwise", async (t) => {
    const projects = new Projects(t);
    const path = projects.write("-app", "one");
    projects.interesting.add("one");
    await projects.scan();
    assert.equal((await projects.scan()).read.size, 0);
    appendFileSync(path, prompt("more"));
    assert.deepEqual([...(await projects.scan()).read.keys()], [path]);
  });

  it("that was removed is absent, and listed no more", async (t) => {
    const projects = new Projects(t);
    const path = projects.write("-app", "one");
    await projects.scan();
    rmSync(path);
    const told = await projects.scan();
    assert.equal(told.read.get(path)?.kind, "absent");
    assert.equal(listingOf(told).recent.size, 0);
  });

  it("untouched for a day is counted and not read, until somebody asks for the others", async (t) => {
    const projects = new Projects(t);
    const recent = projects.write("-app", "recent");
    const old = projects.write("-app", "old", 2 * dayMs);
    const told = await projects.scan();
    assert.deepEqual(listingOf(told), { recent: new Set([recent]), older: 1 });
    assert.deepEqual([...told.read.keys()], [recent]);
    const others = transcriptsIn(await projects.transcripts.readOthers());
    assert.deepEqual([...others.keys()], [old]);
    assert.equal(others.get(old)?.kind, "observed");
    assert.equal(projects.transcripts.followedCount, 1, "those are not kept");
  });

  it("that a process or a record names is followed however old", async (t) => {
    const projects = new Projects(t);
    const old = projects.write("-app", "old", 400 * dayMs);
    assert.equal((await projects.scan()).read.size, 0);
    projects.interesting.add("old");
    const told = await projects.scan();
    assert.equal(told.read.get(old)?.kind, "observed");
    assert.deepEqual(listingOf(told), { recent: new Set([old]), older: 0 });
  });

  it("that may not be read is unobserved, still listed, and tried again", async (t) => {
    const projects = new Projects(t);
    const path = projects.write("-app", "one");
    projects.interesting.add("one");
    chmodSync(path, 0o000);
    const told = await asOrdinaryUser(() => projects.scan());
    assertUnobserved(told.read.get(path), /EACCES/);
    assert.ok(listingOf(told).recent.has(path));
    chmodSync(path, 0o644);
    assert.equal((await projects.scan()).read.get(path)?.kind, "observed");
  });
});

describe("an event", () => {
  it("has its file read at once, known or not", async (t) => {
    const projects = new Projects(t);
    const path = projects.write("-app", "one");
    assert.equal((await projects.touch("-app", "one.jsonl")).get(path)?.kind, "observed");
    appendFileSync(path, prompt("more"));
    assert.equal((await projects.touch("-app", "one.jsonl")).get(path)?.kind, "observed");
    assert.deepEqual([...listingOf(await projects.scan()).recent], [path]);
  });

  it("of a removed file tells that it is absent", async (t) => {
    const projects = new Projects(t);
    const path = projects.write("-app", "one");
    await projects.scan();
    rmSync(path);
    assert.equal((await projects.touch("-app", "one.jsonl")).get(path)?.kind, "absent");
  });

  it("of anything else, or from elsewhere, is passed over", async (t) => {
    const projects = new Projects(t);
    projects.write("-app", "one");
    projects.write("-app/one/subagents", "agent");
    assert.equal((await projects.touch("-app", "notes.txt")).size, 0);
    assert.equal((await projects.touch("-app/one/subagents", "agent.jsonl")).size, 0);
    assert.equal((await projects.touch("..", "one.jsonl")).size, 0);
  });

  it("that comes while the folder is being listed is not taken back by that listing", async (t) => {
    const projects = new Projects(t);
    const known = projects.write("-app", "known");
    projects.interesting.add("known");
    for (let round = 0; round < 30; round += 1) {
      await projects.scan();
      // Another name in the folder has it listed again.
      writeFileSync(join(projects.folder, "-app", `other-${round}.txt`), "");
      const scan = projects.scan();
      for (let turn = 0; turn < round; turn += 1) await Promise.resolve();
      const path = projects.write("-app", `new-${round}`);
      await projects.transcripts.touch(join(projects.folder, "-app"), `new-${round}.jsonl`);
      await scan;
      assert.equal(projects.told().get(path)?.kind, "observed", `round ${round}`);
      assert.notEqual(projects.told().get(known)?.kind, "absent");
    }
  });
});
