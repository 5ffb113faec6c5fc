import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, it } from "node:test";
import { RegistryJournal } from "../../../agent/record/journal.ts";
import { Observer } from "../../../agent/observer.ts";
import type { Scheduler } from "../../../base/clock.ts";
import type { Roster } from "../../../protocol/roster.ts";
import { rollcallPaths } from "../../../base/node/paths.ts";
import { applyRosterChange } from "../../../protocol/rosterChange.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-observer-")));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Its timers wait until they are told to run. */
class HeldScheduler implements Scheduler {
  private due: (() => void)[] = [];

  now(): number {
    return Date.now();
  }

  after(_delayMs: number, run: () => void): { cancel(): void } {
    this.due.push(run);
    return { cancel: () => (this.due = this.due.filter((other) => other !== run)) };
  }

  runDue(): void {
    const ready = this.due;
    this.due = [];
    for (const run of ready) run();
  }
}

describe("who follows the roster", () => {
  it("hears of what changed and changed back since it began to follow", async () => {
    const scheduler = new HeldScheduler();
    const observer = new Observer({
      host: {
        pidDomain: undefined,
        namespace: undefined,
        bootedAt: undefined,
        bootId: undefined,
        kernelAnswers: false,
      },
      memory: undefined,
      tableScript: join(folder, "missing.js"),
      onlyWatchedFolders: true,
      scheduler,
      log: { info: () => undefined, warn: () => undefined },
      paths: rollcallPaths({ HOME: folder, ROLLCALL_DATA_DIR: join(folder, "data") }),
      journal: new RegistryJournal({
        path: join(folder, "data", "sandbox-sessions.json"),
        folder: join(folder, "data", "journal"),
        now: () => scheduler.now(),
      }),
    });
    const records = `pid-records:${folder}`;
    const stateOf = (roster: Roster): string | undefined => roster.sources.find(({ id }) => id === records)?.state;
    // Another one follows already, so that changes are told.
    observer.changes.on(() => undefined);
    observer.addConfigDirs([folder]);
    await observer.refresh();
    scheduler.runDue();

    writeFileSync(join(folder, "sessions"), "");
    await observer.refresh();
    let followed = observer.toldRoster();
    observer.changes.on((change) => (followed = applyRosterChange(followed, change)));
    assert.equal(stateOf(followed), "unobserved");

    rmSync(join(folder, "sessions"));
    await observer.refresh();
    scheduler.runDue();
    assert.equal(stateOf(observer.roster()), "absent");
    assert.equal(stateOf(followed), "absent");
    await observer.stop();
  });
});
