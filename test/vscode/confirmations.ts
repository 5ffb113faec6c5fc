// Acts on what is recorded, confirmed and taken back as a person does it; what was done is read from the registry's own
// file.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { RollcallWorld } from "../support/rollcall/world.ts";
import type { PageApi } from "./page/pageApi.ts";
import { eventually } from "./page/pageClient.ts";
import { choose, dialogAsks, notified, runInPlainWindow } from "./plainWindow.ts";
import type { SuiteResult } from "./runSuite.ts";

const id = "55555555-5555-4555-8555-555555555555";
const startMs = 60_000;
const oddNumber = "12345678901234567890";

export async function runConfirmations(): Promise<SuiteResult> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-confirm-")));
  const rollcall = new RollcallWorld({ configDirs: [join(folder, ".claude")] });
  const registry = join(rollcall.dataDir, "sandbox-sessions.json");
  mkdirSync(dirname(registry), { recursive: true });
  const started = Date.now() - startMs;
  // A number that no double holds, as other tools write some.
  const entry = `{"session_id":"${id}","cwd":${JSON.stringify(folder)},"started_at_ms":${started},"name":"Recorded task","a field of others":${oddNumber}}`;
  writeFileSync(registry, `{"version":1,"sandboxes":{"first":[${entry}],"second":[${entry}]}}\n`);
  try {
    return await runInPlainWindow({ folder, env: rollcall.env, steps: stepsOn(registry) });
  } finally {
    await rollcall.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function stepsOn(registry: string): readonly (readonly [string, (page: PageApi) => Promise<void>])[] {
  const text = (): string => readFileSync(registry, "utf8");
  const stored = (): Promise<Slices> =>
    Promise.resolve((JSON.parse(text()) as { readonly sandboxes: Slices }).sandboxes);
  return [
    [
      "both rows are there",
      async (page) => {
        const rows = async (): Promise<number> =>
          ((await page.tree("Sessions")) ?? []).filter(({ label }) => label === "Recorded task").length;
        await eventually(rows, 2, 30_000);
      },
    ],
    [
      "an act that is called off writes nothing",
      async (page) => {
        const before = text();
        await choose(page, "Rollcall: Mark as Departed...", "first");
        await dialogAsks(page, / in first\?/);
        await page.click({ role: "button", name: "Cancel" });
        await eventually(
          () => page.ariaSnapshot(),
          (shown) => !shown.includes("Mark as Departed:"),
        );
        assert.equal(text(), before);
      },
    ],
    [
      "Mark as Departed writes the mark, in the sandbox of the row that was chosen",
      async (page) => {
        await choose(page, "Rollcall: Mark as Departed...", "second");
        await dialogAsks(page, / in second\?/);
        await page.screenshot("confirm-depart.png");
        await page.click({ role: "button", name: "Mark as Departed" });
        const { first } = await eventually(stored, ({ second }) => second?.[0]?.departed_at_ms !== undefined);
        assert.equal(first?.[0]?.departed_at_ms, undefined);
      },
    ],
    [
      "Forget takes the entry out of that sandbox, and leaves the other's",
      async (page) => {
        await choose(page, "Rollcall: Forget Recorded Session...", "first");
        await dialogAsks(page, / in first\?/);
        await page.screenshot("confirm-forget.png");
        await page.click({ role: "button", name: "Forget" });
        const { second } = await eventually(stored, ({ first }) => first?.length === 0);
        assert.equal(second?.length, 1);
      },
    ],
    [
      "Undo puts the very entry back, with the fields of others",
      async (page) => {
        await notified(page, /Forgotten: Recorded task/);
        await page.screenshot("forget-undo.png");
        await page.click({ role: "button", name: "Undo" });
        const { first } = await eventually(stored, (slices) => slices.first?.length === 1);
        assert.equal(first?.[0]?.session_id, id);
        assert.equal(text().split(oddNumber).length, 3, text());
      },
    ],
  ];
}

interface Slices {
  readonly first?: readonly Stored[];
  readonly second?: readonly Stored[];
}

interface Stored {
  readonly session_id: string;
  readonly departed_at_ms?: number;
}
