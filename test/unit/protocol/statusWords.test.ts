// What every surface says of a status, above all of one that nobody can tell.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Liveness } from "../../../protocol/roster.ts";
import { statusWords } from "../../../protocol/statusWords.ts";

const unknown = (kind: Liveness["kind"], source: string): string => statusWords({ kind: "unknown" }, { kind, source });

describe("the words of a status", () => {
  it("say what is known of a session whose status nobody can tell", () => {
    assert.equal(unknown("unknown", "registry"), "not seen running, recorded");
    assert.equal(unknown("unknown", "registry:/data/claudectl.json"), "not seen running, recorded");
    assert.equal(unknown("unknown", "transcripts:/home/u/.claude"), "not seen running");
    assert.equal(unknown("live", "proc"), "running, status unknown");
    assert.equal(unknown("unknown", "pid-records:/home/u/.claude"), "unknown");
    assert.equal(unknown("unknown", "none"), "unknown");
  });

  it("name the reason, and how a session ended", () => {
    assert.equal(statusWords({ kind: "needs-you", why: "plan" }), "needs you: plan");
    assert.equal(statusWords({ kind: "ended" }, { how: "killed" }), "ended: killed");
    assert.equal(statusWords({ kind: "idle" }), "idle");
  });
});
