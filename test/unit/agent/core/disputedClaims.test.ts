// Two sandboxes, in which the session has pid 7, on one config folder, looked at for the first time afterwards: the second
// one to start wrote the record, and the first one may have put its new conversation into it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import {
  facts,
  lines,
  look,
  observe,
  otherDomain,
  record,
  recordRead,
  second,
  shown,
  transcriptFacts,
  transcriptRead,
} from "./builders.ts";

const thirdDomain = otherDomain.replace("250", "252");
const a = facts({ pid: 1012, startToken: "700", startedAt: second(-60), namespace: "4026532250", namespacePid: 7 });
const b = facts({ pid: 1048, startToken: "900", startedAt: second(-40), namespace: "4026532252", namespacePid: 7 });
const [namelessA, namelessB] = ["proc:4026532250:1012:700", "proc:4026532252:1048:900"];
const file = "/home/dev/.claude/sessions/7.json";

/** The second one's record with this conversation, last written then. */
const names = (sessionId: string, updatedAt = -5): MonitorEvent =>
  recordRead(
    second(0),
    record({
      pid: 7,
      sessionId,
      pidDomain: thirdDomain,
      procStart: "900",
      startedAt: second(-40),
      updatedAt: second(updatedAt),
      status: "idle",
    }),
    file,
  );
const wrote = (id: string, from: number, to: number, { origin = id, closed = false } = {}): MonitorEvent => {
  const told = (line: object): object => ({ ...line, session_id: origin });
  const written = [
    told(lines.prompt(second(from))),
    told(lines.end(second(to))),
    ...(closed ? [{ type: "cost-state" }] : []),
  ];
  return transcriptRead(second(2), id, transcriptFacts(id, written));
};
const at = (events: readonly MonitorEvent[], processes = [b, a]): Record<string, string> =>
  shown(observe([...events, ...processes.map((process) => look(second(1), process))]), second(5));

describe("T04: a conversation in a record that another sandbox writes too, seen for the first time", () => {
  it("is nobody's when the other one left its own in order and may have put the next one there", () => {
    const left = wrote("a1", -55, -10, { closed: true });
    for (const processes of [
      [a, b],
      [b, a],
    ]) {
      const rows = at([names("a2"), left, wrote("b1", -30, -20)], processes);
      assert.match(rows["a2"] ?? "", /^unknown/);
      assert.equal(rows[namelessA], "live, unknown");
      assert.equal(rows[namelessB], "live, unknown");
      assert.match(rows["b1"] ?? "", /^unknown/);
    }
  });
  it("is nobody's when its lines name the other one's first conversation", () => {
    const rows = at([names("a2"), wrote("a1", -55, -10, { closed: true }), wrote("a2", -8, -6, { origin: "a1" })]);
    assert.match(rows["a2"] ?? "", /^unknown/);
    assert.equal(rows[namelessB], "live, unknown");
  });
  it("is the other one's when only that one works in its folder", () => {
    const elsewhere = facts({ ...b, cwd: "/home/dev/other" });
    const events = [names("a2"), wrote("a1", -55, -10, { closed: true }), wrote("a2", -8, -6, { origin: "a1" })];
    const rows = at(events, [elsewhere, a]);
    assert.match(rows["a2"] ?? "", /^live/);
    assert.equal(rows[namelessA], undefined);
    assert.equal(rows[namelessB], "live, unknown");
  });
  it("is the record's own while nobody left any, also where the other one was never prompted", () => {
    assert.match(at([names("b1")])["b1"] ?? "", /^live/);
    assert.match(at([names("b1"), wrote("a1", -55, -10)])["b1"] ?? "", /^live/);
  });
  it("is the record's own when it began after its process, as a first conversation", () => {
    const rows = at([names("b1"), wrote("a1", -55, -10, { closed: true }), wrote("b1", -30, -20)]);
    assert.match(rows["b1"] ?? "", /^live/);
  });
  it("is the record's own when nothing was written there since it started", () => {
    const left = wrote("a1", -55, -10, { closed: true });
    assert.match(at([names("b1", -40), left])["b1"] ?? "", /^live/);
    assert.equal(at([names("b1", -39), left])[namelessB], "live, unknown");
  });
  it("is the record's own when it was read there before the other one left its own", () => {
    const events = [names("b1"), look(second(1), b), look(second(1), a)];
    const left = wrote("a1", -55, 20, { closed: true });
    assert.match(shown(observe([...events, left]), second(25))["b1"] ?? "", /^live/);
  });
  it("is the record's own when its process' arguments name it", () => {
    const named = facts({ ...b, role: { kind: "session", conversationId: "b1" } });
    assert.match(at([names("b1"), wrote("a1", -55, -10, { closed: true })], [a, named])["b1"] ?? "", /^live/);
  });
  it("is the record's own, also after its /clear, when the other one holds another that only it can have begun", () => {
    const cleared = [names("b2"), wrote("b1", -30, -20, { closed: true }), wrote("b2", -8, -6, { origin: "b1" })];
    assert.match(at([...cleared, wrote("a1", -55, -10)])["b2"] ?? "", /^live/);
    assert.match(at(cleared)["b2"] ?? "", /^unknown/);
  });
  it("is the record's own when the other one lives on another folder, or only began after it was written", () => {
    const left = wrote("a1", -55, -10, { closed: true });
    const apart = facts({ ...a, configDir: "/home/dev/.claude-work" });
    assert.match(at([names("b1"), left], [apart, b])["b1"] ?? "", /^live/);
    const later = facts({ ...a, startedAt: second(-1) });
    assert.match(at([names("b1"), left], [later, b])["b1"] ?? "", /^live/);
  });
  it("is as uncertain when the other one has ended since", () => {
    const events = [names("a2"), look(second(0), a), look(second(0), b), wrote("a1", -55, -10, { closed: true })];
    const rows = shown(observe([...events, look(second(3), "gone", 1012)]), second(5));
    assert.doesNotMatch(rows["a2"] ?? "", /^live/);
  });
});

describe("a /clear that is seen in a record that two write", () => {
  const watched: readonly MonitorEvent[] = [
    look(second(-50), a),
    recordRead(second(-50), record({ pid: 7, sessionId: "a1", pidDomain: otherDomain, procStart: "700" }), file),
    look(second(-39), b),
    names("b1", -40),
  ];
  it("is the one's whose first conversation the new lines name, whoever's the record is", () => {
    const others = shown(
      observe([
        ...watched,
        wrote("a1", -55, -10, { closed: true }),
        names("a2", -9),
        wrote("a2", -8, -6, { origin: "a1" }),
      ]),
      second(5),
    );
    assert.match(others["a2"] ?? "", /^live/);
    assert.match(others["b1"] ?? "", /^live/);
    const own = shown(
      observe([
        ...watched,
        wrote("b1", -30, -10, { closed: true }),
        names("b2", -9),
        wrote("b2", -8, -6, { origin: "b1" }),
      ]),
      second(5),
    );
    assert.match(own["b2"] ?? "", /^live/);
    assert.match(own["a1"] ?? "", /^live/);
  });
});
