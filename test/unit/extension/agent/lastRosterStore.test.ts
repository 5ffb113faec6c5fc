import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { nodeScheduler } from "../../../../base/node/nodeScheduler.ts";
import { LastRosterStore } from "../../../../extension/agent/lastRosterStore.ts";
import { gone, live, now, roster, session } from "../core/rosters.ts";

describe("the last roster on disk", () => {
  let folder = "";
  let warnings: string[] = [];
  const makeStore = (): LastRosterStore => {
    const log = { warn: (message: string) => void warnings.push(message) };
    return new LastRosterStore({ folder, scheduler: nodeScheduler, log });
  };
  const file = (): string => join(folder, "last-roster.json");

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "rollcall-store-"));
    warnings = [];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("comes back in the next window with the time it was heard", async () => {
    const store = makeStore();
    store.keep(live(roster([session("a")]), 60_000));
    await store.flush();
    const last = await makeStore().read();
    assert.equal(last?.heardAt, now - 60_000);
    assert.deepEqual(last.roster, roster([session("a")]));
    assert.equal(statSync(file()).mode & 0o077, 0);
  });

  it("is not known in a first run, without a warning", async () => {
    assert.equal(await makeStore().read(), undefined);
    assert.deepEqual(warnings, []);
  });

  it("is not known, with a warning, when it cannot be read or understood", async () => {
    writeFileSync(file(), '{"version":1,');
    assert.equal(await makeStore().read(), undefined);
    rmSync(file());
    mkdirSync(file());
    assert.equal(await makeStore().read(), undefined);
    assert.equal(warnings.length, 2);
  });

  it("is not written while the agent is gone: what is there is at least as good", async () => {
    const store = makeStore();
    store.keep(live(roster([session("a")]), 60_000));
    await store.flush();
    const before = readFileSync(file(), "utf8");
    store.keep(gone(roster([]), 1_000));
    await store.flush();
    assert.equal(readFileSync(file(), "utf8"), before);
  });
});
