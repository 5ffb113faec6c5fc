// The session records of one config folder: each is told as it is, a record that cannot be read is unknown and
// not gone, and nothing but records is opened.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { hostFiles } from "../../../../agent/observe/folderFiles.ts";
import { PidRecords } from "../../../../agent/observe/pidRecords.ts";
import { limits } from "../../../../base/limits.ts";
import type { PidRecord } from "../../../../protocol/files/pidRecord.ts";
import type { Observation } from "../../../../protocol/observation.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

type RecordEvent = Extract<MonitorEvent, { kind: "pid-record" }>;
type ListingEvent = Extract<MonitorEvent, { kind: "pid-record-listing" }>;

class Folder {
  readonly configDir: string;
  readonly sessions: string;
  private readonly records: PidRecords;
  private events: MonitorEvent[] = [];

  /** @param onTime hears each time that a scan asks the clock, which it does before each read */
  constructor(t: TestContext, onTime: (now: number) => void = () => undefined) {
    this.configDir = scratchFolder(t);
    this.sessions = join(this.configDir, "sessions");
    mkdirSync(this.sessions);
    let now = 0;
    this.records = new PidRecords({
      configDir: this.configDir,
      files: hostFiles(this.configDir),
      now: () => {
        onTime((now += 1));
        return now;
      },
      emit: (events) => this.events.push(...events),
    });
  }

  file(name: string): string {
    return join(this.sessions, name);
  }

  write(name: string, content: string | Buffer): void {
    writeFileSync(this.file(name), content);
  }

  /** What one scan tells: the listing, and each record that it read anew. */
  async scan(): Promise<{
    readonly is: string;
    readonly listing: Observation<ReadonlySet<string>>;
    readonly listed: readonly string[];
    readonly records: ReadonlyMap<string, Observation<PidRecord>>;
  }> {
    this.events = [];
    const is = await this.records.scan();
    const listings = this.events.filter((event): event is ListingEvent => event.kind === "pid-record-listing");
    assert.equal(listings.length, 1, "each scan tells of its listing, once");
    const { listing } = listings[0] as ListingEvent;
    const names = listing.kind === "observed" ? [...listing.value] : [];
    const read = this.events.filter((event): event is RecordEvent => event.kind === "pid-record");
    const short = (path: string): string => path.slice(this.sessions.length + 1);
    return {
      is,
      listing,
      listed: names.map(short).sort(),
      records: new Map(read.map(({ file, record }) => [short(file), record])),
    };
  }
}

const record = (pid: number, more: object = {}): string =>
  JSON.stringify({ pid, sessionId: `session-${pid}`, ...more });

function assertUnobserved(observation: Observation<unknown> | undefined, cause: RegExp): void {
  assert.ok(observation?.kind === "unobserved", JSON.stringify(observation));
  assert.match(observation.cause, cause);
}

function valueOf(observation: Observation<PidRecord> | undefined): PidRecord {
  assert.ok(observation?.kind === "observed", JSON.stringify(observation));
  return observation.value;
}

describe("the folder of the session records", () => {
  it("is absent where it never was", async (t) => {
    const folder = new Folder(t);
    rmSync(folder.sessions, { recursive: true });
    const { is, listing } = await folder.scan();
    assert.deepEqual([is, listing.kind], ["missing", "absent"]);
  });

  it("is unobserved, not absent, when it is gone after having been seen, and seen again when it is back", async (t) => {
    const folder = new Folder(t);
    folder.write("7.json", record(7));
    await folder.scan();
    renameSync(folder.sessions, `${folder.sessions}.away`);
    const { is, listing, records } = await folder.scan();
    assert.equal(is, "missing");
    assertUnobserved(listing, /gone after having been seen/);
    assert.equal(records.size, 0);
    renameSync(`${folder.sessions}.away`, folder.sessions);
    assert.deepEqual((await folder.scan()).listed, ["7.json"]);
  });

  it("is unobserved when a file stands in its place", async (t) => {
    const folder = new Folder(t);
    rmSync(folder.sessions, { recursive: true });
    writeFileSync(folder.sessions, "");
    assertUnobserved((await folder.scan()).listing, /ENOTDIR/);
  });

  it("is observed as empty when it is", async (t) => {
    const { is, listing, listed } = await new Folder(t).scan();
    assert.deepEqual([is, listing.kind, listed], ["present", "observed", []]);
  });

  it("with more records than are read is unobserved, since those left out are not gone", async (t) => {
    const folder = new Folder(t);
    const pids = Array.from({ length: limits.pidRecordsPerFolder + 1 }, (_, index) => index + 1);
    await Promise.all(pids.map((pid) => writeFile(folder.file(`${pid}.json`), record(pid))));
    const { listing, records } = await folder.scan();
    assertUnobserved(listing, /5001 records.*5000/);
    assert.equal(records.size, limits.pidRecordsPerFolder);
    rmSync(folder.file("1.json"));
    assert.equal((await folder.scan()).listing.kind, "observed");
  });
});

describe("a session record", () => {
  it("is told once, and again only when it changed", async (t) => {
    const folder = new Folder(t);
    folder.write("7.json", record(7, { status: "busy" }));
    assert.equal(valueOf((await folder.scan()).records.get("7.json")).status, "busy");
    const again = await folder.scan();
    assert.deepEqual([again.listed, again.records.size], [["7.json"], 0]);
    folder.write("7.json", record(7, { status: "idle", name: "other" }));
    assert.equal(valueOf((await folder.scan()).records.get("7.json")).status, "idle");
  });

  it("is read again when it was replaced by one of the same size and time", async (t) => {
    const folder = new Folder(t);
    folder.write("7.json", record(7, { status: "busy" }));
    await folder.scan();
    const { atime, mtime } = statSync(folder.file("7.json"));
    folder.write("new", record(7, { status: "idle" }));
    utimesSync(folder.file("new"), atime, mtime);
    renameSync(folder.file("new"), folder.file("7.json"));
    assert.equal(valueOf((await folder.scan()).records.get("7.json")).status, "idle");
  });

  it("is no longer listed when it was removed", async (t) => {
    const folder = new Folder(t);
    folder.write("7.json", record(7));
    folder.write("8.json", record(8));
    await folder.scan();
    rmSync(folder.file("7.json"));
    const { listing, listed, records } = await folder.scan();
    assert.deepEqual([listing.kind, listed, records.size], ["observed", ["8.json"], 0]);
  });

  it("that is torn is tried again, and told whole when its writer has ended in the meantime", async (t) => {
    const whole = record(7, { status: "busy" });
    let reads = 0;
    // The clock is asked for the scan, for the file, and for each read of it.
    const folder: Folder = new Folder(t, (now) => {
      reads = now - 2;
      if (reads === 3) folder.write("7.json", whole);
    });
    folder.write("7.json", whole.slice(0, 20));
    assert.equal(valueOf((await folder.scan()).records.get("7.json")).status, "busy");
    assert.equal(reads, 3);
  });

  for (const [what, content, cause] of [
    ["torn", '{"pid":7,"sess', /torn or not JSON/],
    ["of zero bytes", "", /zero bytes/],
    ["full of NUL bytes", Buffer.alloc(200), /NUL bytes/],
    ["of another shape", '{"pid":"seven"}', /not the shape/],
    ["a list", "[]", /not the shape/],
    ["too large", " ".repeat(limits.pidRecordBytes + 1), /over the limit/],
  ] as const) {
    it(`that stays ${what} is unobserved, and still listed`, async (t) => {
      const folder = new Folder(t);
      folder.write("7.json", record(7));
      await folder.scan();
      folder.write("7.json", content);
      const { listing, listed, records } = await folder.scan();
      assert.deepEqual([listing.kind, listed], ["observed", ["7.json"]]);
      assertUnobserved(records.get("7.json"), cause);
      folder.write("7.json", record(7, { status: "idle" }));
      assert.equal(valueOf((await folder.scan()).records.get("7.json")).status, "idle");
    });
  }

  it("that stays unreadable is asked again in each scan, yet waited for only in the first", async (t) => {
    const folder = new Folder(t);
    for (let pid = 1; pid <= 6; pid += 1) folder.write(`${pid}.json`, "");
    await folder.scan();
    const began = performance.now();
    const { records } = await folder.scan();
    assert.equal(records.size, 6);
    assert.ok(performance.now() - began < 800, "6 × 200 ms would be waited for otherwise");
  });

  for (const [what, put] of [
    ["a folder", (path: string) => mkdirSync(path)],
    ["a named pipe", (path: string) => execFileSync("mkfifo", [path])],
    ["a link", (path: string) => symlinkSync("/etc/passwd", path)],
  ] as const) {
    it(`with ${what} in its place is unobserved, and still listed`, { timeout: 10_000 }, async (t) => {
      const folder = new Folder(t);
      folder.write("7.json", record(7));
      await folder.scan();
      rmSync(folder.file("7.json"));
      put(folder.file("7.json"));
      const { listed, records } = await folder.scan();
      assert.deepEqual(listed, ["7.json"]);
      assert.equal(records.get("7.json")?.kind, "unobserved");
    });
  }
});

describe("a file system whose times are coarse", () => {
  it("hides no second write of the same length at the same time", async (t) => {
    const folder = new Folder(t);
    const write = (status: string): void => {
      folder.write("7.json", record(7, { status }));
      utimesSync(folder.file("7.json"), new Date(0), new Date(0));
    };
    write("idle");
    await folder.scan();
    write("busy");
    const { records } = await folder.scan();
    const read = records.get("7.json");
    assert.equal(read?.kind === "observed" && read.value.status, "busy");
    assert.equal((await folder.scan()).records.size, 0, "what says the same again is not told");
  });
});

describe("what else lies in the folder", () => {
  it("is not opened: keys, drafts, and names that are no pid", async (t) => {
    const folder = new Folder(t);
    const others = [
      "7.key",
      "7.json.tmp",
      "07.json",
      "0.json",
      "-7.json",
      "7.JSON",
      "a.json",
      "12345678901.json",
      ".json",
    ];
    for (const name of others) folder.write(name, record(7));
    // What is opened and read shows in its access time; relatime moves it when it lies before the last write.
    for (const name of others) utimesSync(folder.file(name), new Date(0), new Date());
    folder.write("8.json", record(8));
    utimesSync(folder.file("8.json"), new Date(0), new Date());
    const { records } = await folder.scan();
    const read = [...records].flatMap(([name, { kind }]) => (kind === "observed" ? [name] : []));
    assert.deepEqual(read, ["8.json"]);
    // Those that look like records are told of, once.
    const told = [...records.keys()].filter((name) => name !== "8.json").sort();
    assert.deepEqual(told, ["-7.json", ".json", "0.json", "07.json", "12345678901.json", "a.json"]);
    assert.equal((await folder.scan()).records.size, 0);
    if (statSync(folder.file("8.json")).atimeMs === 0) return t.diagnostic("this file system keeps no access times");
    for (const name of others) assert.equal(statSync(folder.file(name)).atimeMs, 0, name);
  });

  it("does not stand in a record's way, even unreadable", async (t) => {
    const folder = new Folder(t);
    folder.write("7.key", "secret");
    chmodSync(folder.file("7.key"), 0o000);
    folder.write("7.json", record(7));
    assert.deepEqual((await folder.scan()).listed, ["7.json"]);
  });
});
