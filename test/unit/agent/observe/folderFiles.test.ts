// What is asked at once holds up the whole process while a disk does not answer, so that nothing but this host's own
// disks may be asked so. Asked with care is what gives a promise.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { hostFiles } from "../../../../agent/observe/folderFiles.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

const source = join(import.meta.dirname, "..", "..", "..", "..", "agent", "observe", "folderFiles.ts");
const notLinux = process.platform === "linux" ? false : "only Linux tells its disks apart";

describe("files of a config folder of this host", { skip: notLinux }, () => {
  const asked: unknown[] = [];
  afterEach(() => Promise.all(asked));
  const isAtOnce = (answer: unknown): boolean => {
    asked.push(answer);
    return !(answer instanceof Promise);
  };

  it("are asked with care below a mount, be it a folder or a single file, and at once beside it", async (t) => {
    const root = scratchFolder(t);
    for (const folder of ["-a", "-ab"]) mkdirSync(join(root, folder));
    for (const file of ["-a/1", "-ab/1", "-ab/2"]) writeFileSync(join(root, file), "");
    const mounts = [join(root, "-a"), join(root, "-ab", "2")];
    const { lstat, has } = await hostFiles(root, () => mounts).reach(root);
    const atOnce = ["-a", "-a/1", "-ab/1", "-ab/2"].map((name) => [name, isAtOnce(lstat(join(root, name)))]);
    assert.deepEqual(Object.fromEntries(atOnce), { "-a": false, "-a/1": false, "-ab/1": true, "-ab/2": false });
    assert.equal(isAtOnce(has(join(root, "-a/1"))), false);
    assert.equal(isAtOnce(has(join(root, "-ab/1"))), true);
  });
  it("are asked with care where it cannot be told what is mounted", async (t) => {
    const root = scratchFolder(t);
    const { lstat } = await hostFiles(root, () => undefined).reach(root);
    assert.equal(isAtOnce(lstat(root)), false);
    const beside = await hostFiles(root, () => []).reach(root);
    assert.equal(isAtOnce(beside.lstat(root)), true, "the premise: a disk of this host");
  });
  it("are asked with care below a mount that a link leads to", async (t) => {
    const root = scratchFolder(t);
    mkdirSync(join(root, "real", "-a"), { recursive: true });
    symlinkSync("real", join(root, "link"));
    const files = hostFiles(join(root, "link"), (folder) =>
      folder === join(root, "real") ? [join(folder, "-a")] : [],
    );
    const { lstat } = await files.reach(join(root, "link"));
    assert.equal(isAtOnce(lstat(join(root, "link", "-a"))), false);
  });
  it("are told by the system's own mounts", (t) => {
    const root = scratchFolder(t);
    mkdirSync(join(root, "projects", "-a"), { recursive: true });
    const script = join(root, "script.ts");
    writeFileSync(
      script,
      `import { execSync } from "node:child_process";
       import { hostFiles } from ${JSON.stringify(pathToFileURL(source).href)};
       const [folder, below] = ${JSON.stringify([join(root, "projects"), join(root, "projects", "-a")])};
       const said = [];
       for (const command of ["true", "mount -t tmpfs none " + below, "umount " + below]) {
         execSync(command);
         const { lstat } = await hostFiles(folder).reach(folder);
         said.push(lstat(below) instanceof Promise ? "with care" : "at once");
       }
       console.log(said.join(", "));`,
    );
    const { stdout } = spawnSync("unshare", ["--user", "--map-root-user", "--mount", process.execPath, script], {
      encoding: "utf8",
      timeout: 30_000,
    });
    assert.equal(stdout.trim(), "at once, with care, at once");
  });
});
