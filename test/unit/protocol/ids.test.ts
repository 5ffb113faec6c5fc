import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { processInstance, processSessionId, sessionKey } from "../../../protocol/ids.ts";

describe("ids", () => {
  it("a reused pid is another process", () => assert.notEqual(processInstance(20, "500"), processInstance(20, "501")));
  it("the same conversation in two config folders is two", () =>
    assert.notEqual(sessionKey("/a", "s"), sessionKey("/b", "s")));
  it("a session that is known by its process only is named after it", () => {
    assert.equal(processSessionId("host", 20, "500"), "proc:host:20:500");
  });
});
