// Events of hooks on their way: folded, written down, and only then removed.
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { observeAll } from "../../../agent/core/observeAll.ts";
import { newMonitor, type Monitor } from "../../../agent/core/monitor.ts";
import type { MonitorEvent } from "../../../agent/core/monitorEvent.ts";
import { HookSpools } from "../../../agent/hookSpools.ts";
import { kernelHost } from "./core/builders.ts";

let root: string;
let spool: string;
let hookFacts: string;
const warnings: string[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "rollcall-hook-spools-"));
  spool = join(root, "spool");
  hookFacts = join(root, "facts", "hook-facts.json");
  mkdirSync(join(spool, "host"), { recursive: true });
  mkdirSync(join(root, "facts"));
  warnings.length = 0;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Its timers run when they are told to. */
function observer(removes = true): { readonly hooks: HookSpools; monitor: Monitor; runDue: () => void } {
  let due: (() => void)[] = [];
  const state = {
    monitor: newMonitor(kernelHost),
    runDue: () => {
      const ready = due;
      due = [];
      for (const run of ready) run();
    },
  };
  const hooks = new HookSpools({
    spool,
    hookFacts,
    removes,
    scheduler: {
      now: () => Date.now(),
      after: (_delay, run) => {
        due.push(run);
        return { cancel: () => (due = due.filter((other) => other !== run)) };
      },
    },
    log: { info: () => undefined, warn: (message) => void warnings.push(message) },
    emit: (events: readonly MonitorEvent[]) => (state.monitor = observeAll(state.monitor, events)),
    known: () => state.monitor.hooks,
  });
  return Object.assign(state, { hooks });
}

const event = (name: string, sessionId = "s1"): void =>
  writeFileSync(
    join(spool, "host", name),
    `1 20 ${JSON.stringify({ session_id: sessionId, hook_event_name: "Stop" })}\n`,
  );
const files = (): readonly string[] => readdirSync(join(spool, "host"));
const sessionsOf = ({ monitor }: { readonly monitor: Monitor }): readonly string[] => [
  ...(monitor.hooks.spools.get("host")?.sessions.keys() ?? []),
];

describe("events of hooks", () => {
  it("are removed only once what follows from them is written down", async () => {
    const one = observer();
    event("1.0");
    await one.hooks.scan();
    assert.deepEqual([sessionsOf(one), files(), existsSync(hookFacts)], [["s1"], ["1.0"], false]);
    one.runDue();
    await one.hooks.stop();
    assert.deepEqual(files(), []);
    assert.match(readFileSync(hookFacts, "utf8"), /"s1"/);
  });

  it("stay where it cannot be written down, and are told of", async () => {
    rmSync(join(root, "facts"), { recursive: true });
    writeFileSync(join(root, "facts"), "a file in the folder's place");
    const one = observer();
    event("1.0");
    await one.hooks.scan();
    one.runDue();
    await one.hooks.stop();
    assert.deepEqual(files(), ["1.0"]);
    assert.ok(warnings.some((message) => message.includes("so their events stay")));
  });

  it("that came after what was written down stay until they are too", async () => {
    const one = observer();
    event("1.0");
    await one.hooks.scan();
    event("2.0", "s2");
    one.runDue();
    await one.hooks.stop();
    assert.deepEqual(files(), ["2.0"]);
  });

  it("are known to whoever observes later, and to one who removes nothing", async () => {
    const one = observer();
    event("1.0");
    await one.hooks.scan();
    await one.hooks.stop();
    event("2.0", "s2");
    const once = observer(false);
    await once.hooks.scan();
    once.runDue();
    await once.hooks.stop();
    assert.deepEqual(sessionsOf(once), ["s1", "s2"]);
    assert.deepEqual(files(), ["2.0"]);
  });

  it("of before are not known where what was written down is damaged, which is told", async () => {
    writeFileSync(hookFacts, "{");
    const one = observer();
    event("1.0");
    await one.hooks.scan();
    await one.hooks.stop();
    assert.deepEqual(sessionsOf(one), ["s1"]);
    assert.ok(warnings.some((message) => message.includes("could not be read")));
  });

  it("of a spool that cannot be read make the source unobserved, and what was known stays", async () => {
    const one = observer();
    event("1.0");
    await one.hooks.scan();
    rmSync(spool, { recursive: true });
    writeFileSync(spool, "");
    await one.hooks.scan();
    await one.hooks.stop();
    assert.equal(one.monitor.sources.get("hooks")?.last, "unobserved");
    assert.deepEqual(sessionsOf(one), ["s1"]);
    chmodSync(spool, 0o600);
  });
});
