import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { recordDomain } from "../../../../agent/core/recordDomain.ts";
import { domain, kernelHost, otherDomain, record } from "./builders.ts";

describe("a record's pid domain", () => {
  it("names its namespace, another or none", () => {
    assert.deepEqual(recordDomain(kernelHost, record()), { kind: "own" });
    assert.deepEqual(recordDomain(kernelHost, record({ pidDomain: otherDomain })), {
      kind: "other",
      namespace: "4026532250",
    });
    assert.deepEqual(recordDomain(kernelHost, record({ pidDomain: undefined })), { kind: "unnamed" });
    assert.deepEqual(recordDomain({ ...kernelHost, pidDomain: undefined }, record({ pidDomain: domain })), {
      kind: "unnamed",
    });
  });
});
