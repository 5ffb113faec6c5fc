// Every recorded transcript of the real agent as a whole row of `ls`, as a user meets it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test, type TestContext } from "node:test";
import type { Session } from "../../protocol/roster.ts";
import { caseHome, day, hour, minute, sessionId, skippedAt } from "../support/rollcall/caseHome.ts";

const recordings = new URL("../fixtures/claude-code-2.1.332/", import.meta.url);

interface Expected {
  readonly title: string;
  readonly status: string;
  readonly entrypoint?: string;
  readonly open?: readonly string[];
}

/** Held by a process that ran all the while. */
const expected: Readonly<Record<string, Expected>> = {
  "recorded/transcript.after-clear.jsonl": { title: "lab session", status: "waiting" },
  "recorded/transcript.background.jsonl": { title: "bgtest", status: "working", open: ["Bash"] },
  "recorded/transcript.compact.jsonl": { title: "one", status: "waiting" },
  "recorded/transcript.embedded-stream-json.jsonl": {
    title: "BASHX host",
    status: "waiting",
    entrypoint: "claude-vscode",
  },
  "recorded/transcript.fork-session.jsonl": { title: "forked hi", status: "waiting", entrypoint: "sdk-cli" },
  "recorded/transcript.main-many-turns.jsonl": { title: "lab session", status: "working" },
  "recorded/transcript.print-sigint.jsonl": { title: "SLOWX print", status: "waiting", entrypoint: "sdk-cli" },
  "walk/transcript.all-steps.jsonl": { title: "stream-held", status: "waiting" },
  "walk/transcript.cleared-resumed-killed.jsonl": { title: "say-hello", status: "working" },
  "walk/transcript.plan.jsonl": { title: "make-plan", status: "waiting" },
  "walk/transcript.print.jsonl": { title: "stream-held", status: "waiting", entrypoint: "sdk-cli" },
};
const names = Object.keys(expected);

const isoTime = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"/g;

/** As if its last line had just been written. */
function movedTo(end: number, text: string): string {
  const times = [...text.matchAll(isoTime)].map(([, time]) => Date.parse(time ?? ""));
  const shift = end - Math.max(...times);
  return text.replace(isoTime, (_all, time: string) => JSON.stringify(new Date(Date.parse(time) + shift)));
}

async function rowsWrittenAt(t: TestContext, ageMs: number): Promise<readonly Session[]> {
  // Its processes are a day old.
  const home = caseHome(t, { aheadMs: day });
  for (const [index, name] of names.entries()) {
    const id = sessionId(index);
    const at = home.ago(ageMs);
    home.transcriptFile(id, movedTo(at, readFileSync(new URL(name, recordings), "utf8")), { from: at });
    home.start({ args: ["--resume", id] });
  }
  const roster = await home.ls();
  assert.deepEqual(skippedAt(roster), []);
  return names.map((_name, index) => roster.row(sessionId(index)));
}

describe("each recorded transcript", { concurrency: 2 }, () => {
  test("whose process lives is a row with its title, folder, state and open tool calls", async (t) => {
    for (const [index, row] of (await rowsWrittenAt(t, minute)).entries()) {
      const {
        title,
        status,
        entrypoint = "cli",
        open = [],
      } = expected[names[index] ?? ""] ?? { title: "", status: "" };
      assert.deepEqual(
        {
          title: row.title,
          liveness: row.liveness.kind,
          status: row.status.kind,
          folders: [row.cwd, row.startCwd],
          entrypoint: row.entrypoint,
          open: row.openTurns.map(({ tool, abandoned }) => [tool, abandoned]),
        },
        {
          title,
          liveness: "live",
          status,
          folders: ["/home/dev/app", "/home/dev/app"],
          entrypoint,
          open: open.map((tool) => [tool, false]),
        },
        names[index],
      );
    }
  });

  test("that a later process took up again has no turn that runs: what was open is abandoned", async (t) => {
    for (const [index, row] of (await rowsWrittenAt(t, day + hour)).entries()) {
      const name = names[index] ?? "";
      assert.equal(row.liveness.kind, "live", name);
      assert.equal(row.status.kind, "idle", name);
      assert.deepEqual(
        row.openTurns.map(({ tool, abandoned }) => [tool, abandoned]),
        (expected[name]?.open ?? []).map((tool) => [tool, true]),
        name,
      );
    }
  });

  test("is there", () => {
    const files = ["recorded", "walk"].flatMap((folder) =>
      readdirSync(new URL(`${folder}/`, recordings))
        .filter((name) => /^transcript\..*\.jsonl$/.test(name))
        .map((name) => `${folder}/${name}`),
    );
    assert.deepEqual(files.sort(), names.toSorted());
  });
});
