import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HookSetupFacts } from "../../../../agent/core/hookSetup.ts";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { projectRoster } from "../../../../agent/core/roster.ts";
import { absent, observed, unobserved } from "../../../../protocol/observation.ts";
import type { SourceState } from "../../../../protocol/roster.ts";
import { configDir, lines, observe, second, transcriptFacts, transcriptRead } from "./builders.ts";
import { prompt, spooled, spools, start } from "./hookEvents.ts";

const installed = (more: Partial<HookSetupFacts> = {}): MonitorEvent => ({
  kind: "hook-setup",
  configDir,
  setup: observed("hooks", second(0), { spools: ["/data/spool/host"], isOff: undefined, since: second(0), ...more }),
});
const moves = (at: number): MonitorEvent =>
  transcriptRead(second(at), "s1", transcriptFacts("s1", [lines.prompt(second(1)), lines.end(second(at))]));

function source(events: readonly MonitorEvent[], now: number): SourceState {
  const monitor = observe([spools(now), ...events]);
  const { sources } = projectRoster(monitor, { now: second(now), all: true, onlyWatchedFolders: false });
  const found = sources.find(({ id }) => id === "hooks");
  assert.ok(found !== undefined);
  return found;
}

describe("hooks that are installed", () => {
  it("S18 and say nothing while transcripts go on are told of, with the folder and the times", () => {
    const silent = source([installed(), moves(700)], 710);
    assert.equal(silent.state, "unobserved");
    assert.equal(
      silent.cause,
      `hooks are installed in ${configDir} and say nothing: its sessions went on until 2026-11-30T17:11:40.000Z, and no event ever came`,
    );
    assert.equal(silent.since, "2026-11-30T17:00:00.000Z");
    const once = source([installed(), moves(700), spooled([start(0), prompt(1)])], 710);
    assert.match(once.cause ?? "", /no event came since 2026-11-30T17:00:01/);
  });

  it("are not silent where events come, where nothing moves, where they were just installed or are not there", () => {
    const heard: readonly (readonly MonitorEvent[])[] = [
      [installed(), moves(700), spooled([prompt(690)])],
      [installed(), moves(30)],
      [installed({ since: second(695) }), moves(700)],
      [installed({ spools: [] }), moves(700)],
      [moves(700)],
      [installed(), moves(700), { kind: "hook-setup", configDir, setup: absent("hooks", second(705)) }],
    ];
    for (const events of heard) assert.equal(source(events, 710).state, "observed");
  });

  it("stay known while their settings cannot be read", () => {
    const torn: MonitorEvent = { kind: "hook-setup", configDir, setup: unobserved("hooks", second(5), "torn") };
    assert.equal(source([installed(), torn, moves(700)], 710).state, "unobserved");
  });

  it("and switched off by a setting are told of at once", () => {
    assert.match(
      source([installed({ isOff: "disableAllHooks" })], 1).cause ?? "",
      /its settings say disableAllHooks, so none runs/,
    );
  });
});
