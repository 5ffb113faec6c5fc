// Who runs in a pid namespace, by the real /proc: processes that may not be asked included.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readlinkSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { takeCensus } from "../../../../agent/observe/namespaceCensus.ts";

/** A system that does not tell the namespace of this process, and is silent of others that this host itself hides. */
function denying(pid: number): (path: string) => string {
  return (path) => {
    if (path === `/proc/${pid}/ns/pid`) throw Object.assign(new Error("denied"), { code: "EACCES" });
    try {
      return readlinkSync(path);
    } catch {
      return "hidden";
    }
  };
}

describe("a census where a process may not be asked for its namespace", { skip: process.platform !== "linux" }, () => {
  const command = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "sh", "-c", "echo; exec sleep 60"];
  const child = spawn("unshare", command, { stdio: ["ignore", "pipe", "inherit"] });
  const faultOf = (pid: number): string | undefined => takeCensus(new Set(["1"]), denying(pid)).fault;
  let inside = 0;

  before(async () => {
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const { found } = takeCensus(new Set([namespaceBelow(child.pid ?? 0)]));
    inside = [...found.values()].flatMap((pids) => [...pids.values()])[0] ?? 0;
  });
  after(() => child.kill("SIGKILL"));

  it("is whole: one of our own namespace is none of those asked for", () => {
    assert.equal(faultOf(process.pid), undefined);
  });
  it("is not where that process may be inside", () => {
    assert.ok(inside > 0);
    assert.match(faultOf(inside) ?? "", new RegExp(`^/proc/${inside}: `));
  });
});

function namespaceBelow(pid: number): string {
  return /\d+/.exec(readlinkSync(`/proc/${pid}/ns/pid_for_children`))?.[0] ?? "";
}
