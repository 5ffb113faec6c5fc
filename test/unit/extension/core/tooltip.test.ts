import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { escapeMarkdown, sandboxTooltip, sessionTooltip } from "../../../../extension/core/tooltip.ts";
import { at, gone, live, roster, session } from "./rosters.ts";

const format = (time: number): string => new Date(time).toISOString().slice(11, 19);
const row = session("a", {
  title: "Fix [this](command:evil) *now*",
  evidence: [
    { source: "proc", says: "process 4242 exists", at: at(0), asOf: at(0) },
    { source: "rule", says: "call-open: Bash has no result yet", at: at(0), asOf: at(60_000) },
  ],
});

describe("a row's tooltip", () => {
  it("says the status with its rule, the liveness with its source, and what each source said", () => {
    const text = sessionTooltip(live(roster([row])), row, format);
    assert.match(text, /Status: \*\*working\*\* since 11:57:00, by rule `call-open`/);
    assert.match(text, /Liveness: \*\*live\*\*, by `proc`, as of 12:00:00/);
    assert.match(text, /- `proc` says process 4242 exists \(12:00:00\)/);
    assert.match(text, /- `rule` says call\\-open: Bash has no result yet \(11:59:00\)/);
  });

  it("says that and why it is stale", () => {
    const text = sessionTooltip(gone(roster([row]), 60_000), row, format);
    assert.match(text, /\*\*Stale\*\*: the agent is gone; as of 11:59:00/);
  });

  it("shows text from outside as text", () => {
    assert.ok(!sessionTooltip(live(roster([row])), row, format).includes("[this](command:evil)"));
    assert.equal(escapeMarkdown("a\n# b"), "a \\# b");
  });
});

describe("a sandbox's tooltip", () => {
  const box = {
    name: "box",
    adapter: "registry",
    stale: false,
    asOf: at(0),
    state: "unknown",
    evidence: [{ source: "registry", says: "recorded in it: 2 sessions", at: at(0), asOf: at(60_000) }],
  } as const;

  it("says that nothing tells whether it runs, and who knows it at all", () => {
    const text = sandboxTooltip(live(roster([])), { ...box, evidence: [...box.evidence] }, format);
    assert.match(text, /Nothing tells whether it runs, which does not mean that it does not/);
    assert.match(text, /- `registry` says recorded in it: 2 sessions \(11:59:00\)/);
  });

  it("says that no source names a namespace", () => {
    const told = { ...box, name: "pidns:7", adapter: "proc", state: "running", derived: true, evidence: [] } as const;
    const text = sandboxTooltip(live(roster([])), { ...told, evidence: [] }, format);
    assert.match(text, /State: \*\*running\*\*/);
    assert.match(text, /No source names it/);
  });
});
