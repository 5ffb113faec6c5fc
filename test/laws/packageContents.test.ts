// The packed extension holds what is named here and nothing else: no source, no test, no package, no map.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { listFiles, PackageManager } from "@vscode/vsce";
import { root } from "./repository.ts";

const packed = [
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "dist/THIRD-PARTY-NOTICES.txt",
  "dist/agent.cjs",
  "dist/cli.cjs",
  "dist/extension.cjs",
  "dist/processTable.mjs",
  "dist/rollcall.cjs",
  "dist/webview/detail.css",
  "dist/webview/detail.js",
  "media/rollcall.svg",
  "package.json",
];
const limitBytes = 6 * 1024 * 1024;

describe("the package", () => {
  it("holds the bundles, the words and the icon, after npm run build", async () => {
    const files = await listFiles({ cwd: root, packageManager: PackageManager.None });
    assert.deepEqual(files.map((file) => file.replaceAll("\\", "/")).sort(), packed);
  });

  it("is small", () => {
    const sizeBytes = packed.reduce((sum, file) => sum + statSync(join(root, file)).size, 0);
    assert.ok(sizeBytes < limitBytes, `${sizeBytes} bytes before compression`);
  });
});
