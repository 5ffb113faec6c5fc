import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { escapeMarkdown, sessionTooltip } from "../../../../extension/core/tooltip.ts";
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
