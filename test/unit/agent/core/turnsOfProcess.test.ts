import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import {
  facts,
  failure,
  lines,
  look,
  record,
  recordRead,
  rowWords,
  second,
  table,
  transcriptFacts,
  transcriptRead,
} from "./builders.ts";
import { checkRow, iso, only, rosterOf } from "./rows.ts";

const live = [recordRead(second(3), record()), look(second(4), facts())];
const read = (lineList: readonly object[], fields: object = {}): MonitorEvent =>
  transcriptRead(second(5), "s1", transcriptFacts("s1", lineList, fields));

describe("open turns", () => {
  const turns = (events: readonly MonitorEvent[], now?: number): unknown =>
    rosterOf(events, now).sessions[0]?.openTurns.map(({ tool, abandoned }) => [tool, abandoned]);
  const calls = [lines.prompt(second(1)), lines.call(second(2), "a")];
  it("of a living process are open", () => assert.deepEqual(turns([...live, read(calls)]), [["Bash", false]]));
  it("B001: of a killed one are abandoned, and it is never a call for you", () => {
    const asks = [lines.prompt(second(1)), lines.call(second(2), "a", "AskUserQuestion")];
    const events = [...live, read(asks), look(second(5), "gone")];
    assert.deepEqual(turns(events), [["AskUserQuestion", true]]);
    checkRow(events, { status: { kind: "ended", rule: "session-ended", since: iso(second(5)) } });
  });
  it("without a time are not taken for those of an earlier process", () => {
    const timeless = calls.map((line) => ({ ...line, timestamp: undefined }));
    assert.deepEqual(turns([...live, read(timeless)]), [["Bash", false]]);
  });
  it("S09: of an earlier process of a resumed conversation are abandoned", () => {
    const asks = [lines.prompt(second(-100)), lines.call(second(-90), "a", "AskUserQuestion")];
    assert.deepEqual(turns([...live, read(asks)]), [["AskUserQuestion", true]]);
    assert.equal(rosterOf([...live, read(asks)]).sessions[0]?.status.kind, "waiting");
  });
  it("background tasks of an earlier process are over, those of this one are shown", () => {
    const started = (at: number): object[] => [
      lines.prompt(at),
      lines.call(at, "a"),
      lines.result(at + 1, "a", { status: "async_launched", agentId: "ag" }),
      lines.end(at + 2),
    ];
    checkRow([...live, read(started(second(-30)))], {
      background: [{ id: "ag", kind: "subagent", since: iso(second(-30) + 1) }],
      subagents: [{ id: "ag", status: "running", openTurns: [], since: "2026-11-30T16:59:30.001Z" }],
    });
    checkRow([...live, read(started(second(-100)))], { background: [], subagents: [] });
    checkRow([...live, read(started(second(-30))), look(second(5), "gone")], { background: [] });
  });
  it("S22: a likely prompt rests on whole tables that show no child", () => {
    const bash = [lines.prompt(second(1)), lines.call(second(2), "a")];
    const events = [look(second(4), facts({ role: { kind: "session", conversationId: "s1" } })), read(bash)];
    const at = (seconds: number, parents: readonly number[] = []): MonitorEvent =>
      table(second(seconds), [facts()], { identities: false, parents });
    const statusOf = (more: readonly MonitorEvent[]): string =>
      rowWords(only(rosterOf([...events, ...more], second(60)).sessions));
    assert.equal(statusOf([at(6), at(21), at(36)]), "live stale, needs-you: likely");
    assert.equal(statusOf([at(6), at(21, [20]), at(36)]), "live stale, working");
    assert.equal(statusOf([at(6), table(second(21), failure), table(second(36), failure)]), "live stale, working");
  });
});
