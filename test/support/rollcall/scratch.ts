// A fresh folder for one test, gone after it.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

export function scratchFolder(t: Pick<TestContext, "after">): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-scratch-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
