import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { instanceOfRecord, recordDomain } from "../../../../agent/core/recordDomain.ts";
import { facts, kernelHost, look, observe, otherDomain, record, second, tableHost } from "./builders.ts";

const ownMachine = "0123456789abcdef";
const inside = facts({ pid: 1012, startToken: "700", namespace: "4026532250", namespacePid: 7 });
const of = (pidDomain: string | undefined) => record({ pid: 7, procStart: "700", pidDomain });
const found = (pidDomain: string | undefined, ...others: ReturnType<typeof facts>[]): string | undefined =>
  instanceOfRecord(observe([inside, ...others].map((process) => look(second(0), process))), of(pidDomain));

describe("a record's pid domain", () => {
  it("names its namespace, another or none", () => {
    assert.deepEqual(recordDomain(kernelHost, record()), { kind: "own" });
    const other = recordDomain(kernelHost, record({ pidDomain: otherDomain }));
    assert.deepEqual([other.kind, other.kind === "other" && other.namespace], ["other", "4026532250"]);
    assert.deepEqual(recordDomain(kernelHost, record({ pidDomain: undefined })), { kind: "unnamed" });
    assert.deepEqual(recordDomain(tableHost, record()), { kind: "unnamed" });
  });
  it("that is odd still is another one", () => {
    for (const pidDomain of ["", "linux", "linux::pid:[]", "windows:x", "linux:a:b:pid:[1]", "pid:[4026532250]"]) {
      const domain = recordDomain(kernelHost, record({ pidDomain }));
      assert.deepEqual([domain.kind, domain.kind === "other" && domain.mayBeOfThisHost], ["other", false], pidDomain);
    }
  });
});

describe("the process of a record", () => {
  it("is found by namespace, pid inside and start, whatever machine id its sandbox has", () => {
    for (const machine of [ownMachine, "", "ffffffffffffffff"])
      assert.equal(found(`linux:${machine}:pid:[4026532250]`), "1012:700", machine);
    assert.equal(found(`linux:${ownMachine}:pid:[4026532999]`), undefined);
  });
  it("B003: is not sought among ours when the record is of another host", () => {
    const own = facts({ pid: 7, startToken: "700" });
    assert.equal(found(`linux:${ownMachine}:pid:[4026531836]`, own), "7:700");
    assert.equal(found("linux:ffffffffffffffff:pid:[4026531836]", own), undefined);
    assert.equal(found("linux::pid:[4026531836]", own), undefined);
  });
  it("of a record without a domain is the only one that fits by pid inside and start", () => {
    assert.equal(found(undefined), "1012:700");
    const twin = facts({ pid: 1048, startToken: "700", namespace: "4026532252", namespacePid: 7 });
    assert.equal(found(undefined, twin), undefined);
  });
});
