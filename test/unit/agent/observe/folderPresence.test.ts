// Real mounts, in a mount namespace of the test's own.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { FolderPresence } from "../../../../agent/observe/folderPresence.ts";
import { scratchFolder } from "../../../support/rollcall/scratch.ts";

const source = join(import.meta.dirname, "..", "..", "..", "..", "agent", "observe", "folderPresence.ts");
const noMounts = process.platform === "linux" ? false : "mounts are told on Linux only";

/** What a folder is said to be after each of these commands, the first of which makes it. */
function looksAfter(t: TestContext, folder: (root: string) => string, commands: readonly string[]): readonly string[] {
  const root = scratchFolder(t);
  const script = join(root, "script.ts");
  writeFileSync(
    script,
    `import { execSync } from "node:child_process";
     import { FolderPresence } from ${JSON.stringify(pathToFileURL(source).href)};
     const presence = new FolderPresence(${JSON.stringify(folder(root))});
     const said = [];
     for (const command of ${JSON.stringify(commands)}) {
       execSync(command, { cwd: ${JSON.stringify(root)}, stdio: ["ignore", "ignore", "inherit"] });
       said.push(await presence.look());
     }
     console.log(said.join(" "));`,
  );
  const { stdout } = spawnSync("unshare", ["--user", "--map-root-user", "--mount", process.execPath, script], {
    encoding: "utf8",
    timeout: 30_000,
  });
  return stdout.trim().split(" ");
}

describe("a config folder", () => {
  it("is gone when it was removed, with whatever stood above it", { skip: noMounts }, async (t) => {
    const folder = join(scratchFolder(t), "home", ".claude");
    const presence = new FolderPresence(folder);
    assert.equal(await presence.look(), "unseen");
    mkdirSync(folder, { recursive: true });
    assert.equal(await presence.look(), "there");
    rmSync(dirname(folder), { recursive: true });
    assert.equal(await presence.look(), "gone");
    mkdirSync(folder, { recursive: true });
    assert.equal(await presence.look(), "there");
  });
  it("is not gone when something else stands in its place", async (t) => {
    const folder = join(scratchFolder(t), ".claude");
    mkdirSync(folder);
    const presence = new FolderPresence(folder);
    await presence.look();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "");
    assert.equal(await presence.look(), "cannot-tell");
    rmSync(folder);
    writeFileSync(dirname(folder) + "-file", "");
    assert.equal(await new FolderPresence(join(`${dirname(folder)}-file`, ".claude")).look(), "cannot-tell");
    rmSync(`${dirname(folder)}-file`);
  });
  it(
    "is not gone when the mount on which it was seen went, and is when it was removed there",
    { skip: noMounts },
    (t) => {
      const inShare = (root: string): string => join(root, "share", "home", ".claude");
      const mounted = "mkdir share && mount -t tmpfs none share && mkdir -p share/home/.claude";
      assert.deepEqual(
        looksAfter(t, inShare, [mounted, "umount share", "rmdir share", "mkdir -p share/home/.claude"]),
        ["there", "cannot-tell", "cannot-tell", "there"],
      );
      assert.deepEqual(looksAfter(t, inShare, [mounted, "rm -r share/home"]), ["there", "gone"]);
    },
  );
  it(
    "is not gone behind a folder of the same disk that was mounted there, or that hides it",
    { skip: noMounts },
    (t) => {
      const inShare = (root: string): string => join(root, "share", ".claude");
      const bound = "mkdir -p share other/.claude && mount --bind other share";
      assert.deepEqual(looksAfter(t, inShare, [bound, "umount share"]), ["there", "cannot-tell"]);
      const hidden = "mount -t tmpfs none share";
      assert.deepEqual(looksAfter(t, inShare, ["mkdir -p share/.claude", hidden]), ["there", "cannot-tell"]);
    },
  );
});
