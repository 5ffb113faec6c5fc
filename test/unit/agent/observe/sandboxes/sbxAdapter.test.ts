// Docker Sandboxes through a stand-in of their command, which plays recorded answers, delays, hangs and garbage, and
// writes down how it was called.
import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { SbxAdapter } from "../../../../../agent/observe/sandboxes/sbxAdapter.ts";
import type { SandboxListing } from "../../../../../agent/core/sandboxListing.ts";
import type { Observation } from "../../../../../protocol/observation.ts";
import { scratchFolder } from "../../../../support/rollcall/scratch.ts";

const running = '{"status":"running","socket":"/x/sandboxd.sock"}';
const listOf = (...sandboxes: readonly object[]): string => JSON.stringify({ sandboxes });
const one = { name: "linera-agent", id: "sb_1", agent: "claude", status: "running", workspaces: ["/home/u/app"] };

interface Played {
  readonly adapter: SbxAdapter;
  readonly clock: { now: number };
  /** From now on. */
  readonly plays: (answers: { readonly status?: string; readonly ls?: string }) => void;
  readonly calls: () => readonly string[];
}

/** Scripts in sh for each of the two calls. */
function played(
  t: TestContext,
  answers: { readonly status?: string; readonly ls?: string },
  call = { orderlyMs: 10_000, deadlineMs: 20_000 },
): Played {
  const folder = scratchFolder(t);
  const calls = join(folder, "calls");
  const plays: Played["plays"] = ({ status = `echo '${running}'`, ls = `echo '${listOf(one)}'` }) => {
    const script = `#!/bin/sh
echo "$*" >> ${calls}
# Whoever reads its input would wait here for ever.
cat > /dev/null
case "$*" in
"daemon status --json") ${status} ;;
"ls --json") ${ls} ;;
*) echo "not to be called: $*" >> ${calls}; exit 9 ;;
esac
`;
    writeFileSync(join(folder, "sbx"), script);
    chmodSync(join(folder, "sbx"), 0o755);
  };
  plays(answers);
  writeFileSync(calls, "");
  const clock = { now: 1_000_000 };
  const env = { PATH: `${folder}:${process.env["PATH"] ?? "/usr/bin:/bin"}` };
  const adapter = new SbxAdapter({ now: () => clock.now, env, call });
  t.after(() => adapter.dispose());
  return { adapter, clock, plays, calls: () => readFileSync(calls, "utf8").split("\n").filter(Boolean) };
}

function said(list: Observation<SandboxListing>): unknown {
  switch (list.kind) {
    case "observed":
      return list.value.sandboxes.map(({ name, identity, state }) => [name, identity, state].join(" "));
    case "absent":
      return "absent";
    case "unobserved":
      return `unobserved: ${list.cause}`;
  }
}

describe("Docker Sandboxes", () => {
  it("are listed by name, id and state, in every shape that versions print, whatever words come first", async (t) => {
    const shapes = {
      [listOf(one, { ...one, name: "b", id: "sb_2", status: "stopped" })]: [
        "linera-agent sbx:sb_1 running",
        "b sbx:sb_2 stopped",
      ],
      [JSON.stringify([{ name: "old", status: "Running" }])]: ["old sbx:old running"],
      [`Starting sandboxd daemon...\\n[warn] {slow}\\n${listOf(one)}`]: ["linera-agent sbx:sb_1 running"],
      [listOf({ name: "x", state: "dreaming" })]: ["x sbx:x unknown"],
      [listOf()]: [],
    };
    for (const [text, expected] of Object.entries(shapes)) {
      const { adapter } = played(t, { ls: `printf '%b\\n' '${text}'` });
      assert.deepEqual(said(await adapter.list()), expected, text);
    }
  });

  it("that are printed in a shape that nobody knows are no answer, never none", async (t) => {
    const texts = [
      "",
      "{}",
      "null",
      "[1]",
      '{"sandboxes":{}}',
      '{"items":[]}',
      listOf({ id: "sb" }),
      listOf({ name: "a b", status: "running" }),
      listOf(one, one),
      '{"sandboxes":[',
      "no sandboxes",
    ];
    for (const text of texts) {
      const { adapter } = played(t, { ls: `printf '%s\\n' '${text}'` });
      assert.match(String(said(await adapter.list())), /^unobserved: sbx ls/, text);
    }
  });

  it("are not listed while their daemon does not run, since to list would start it", async (t) => {
    for (const status of [`echo '{"status":"stopped"}'`, `echo '{"status":"not running"}'; exit 1`]) {
      const { adapter, calls } = played(t, { status });
      assert.match(String(said(await adapter.list())), /unobserved: .*does not run.*would start it.*sbx daemon start/);
      assert.deepEqual(calls(), ["daemon status --json"]);
    }
  });

  it("are not told of by a call that fails, prints garbage or cannot be run", async (t) => {
    for (const answers of [
      { ls: "echo no >&2; exit 3" },
      { ls: "kill -9 $$" },
      { status: "echo what" },
      { status: "exit 2" },
    ]) {
      const { adapter } = played(t, answers);
      assert.match(String(said(await adapter.list())), /^unobserved: sbx/, JSON.stringify(answers));
    }
    const missing = new SbxAdapter({ now: () => 0, env: { PATH: scratchFolder(t) } });
    assert.equal(said(await missing.list()), "absent");
  });

  it("that hang are given up: asked to end, then ended, with all that they started", async (t) => {
    const ladder = { orderlyMs: 150, deadlineMs: 400 };
    const stubborn = played(t, { ls: "trap 'echo asked >> $0.asked' TERM; sleep 60 & while :; do wait; done" }, ladder);
    assert.match(String(said(await stubborn.adapter.list())), /no answer within 400 ms/);
    const polite = played(t, { ls: "trap 'exit 7' TERM; sleep 60 & wait" }, { orderlyMs: 100, deadlineMs: 20_000 });
    assert.match(String(said(await polite.adapter.list())), /^unobserved: sbx ls/);
  });

  it("are asked at most once in 15 s, however often somebody wants to know", async (t) => {
    const { adapter, clock, calls } = played(t, {});
    const first = await adapter.list();
    clock.now += 10_000;
    assert.equal(await adapter.list(), first);
    assert.equal(calls().length, 2);
    clock.now += 5_000;
    await adapter.list();
    assert.equal(calls().length, 4);
  });

  it("that were there and are listed no more at all are not gone for that, until a day has passed", async (t) => {
    const { adapter, clock, plays } = played(t, {});
    await adapter.list();
    plays({ ls: `echo '${listOf()}'` });
    clock.now += 15_000;
    assert.match(String(said(await adapter.list())), /unobserved: sbx lists no sandbox where there were some/);
    clock.now += 86_400_000;
    assert.deepEqual(said(await adapter.list()), []);
  });

  it("are never asked from inside", async (t) => {
    const { adapter, calls } = played(t, {});
    await adapter.list();
    assert.equal("probe" in adapter, false);
    assert.ok(!calls().some((line) => line.includes("exec")));
  });
});
