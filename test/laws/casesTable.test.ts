// The table of cases in docs/testing.md: every case has one row, and every test that a row names is there.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readText, root } from "./repository.ts";

interface Row {
  readonly id: string;
  readonly right: string;
  readonly proof: string;
}

const rows: readonly Row[] = readText("docs/testing.md")
  .split("\n")
  .flatMap((line) => {
    const cells = /^\| ([A-Z]\d+) *\| (.*?) *\| (.*?) *\|$/.exec(line);
    return cells === null ? [] : [{ id: cells[1] ?? "", right: cells[2] ?? "", proof: cells[3] ?? "" }];
  });
const named = /^\[[^\]]+\]\(\.\.\/(test\/[^)]+)\) “(.+)”$/;
const reason = /^no such input here, because \S/;

describe("the table of cases", () => {
  it("has one row for every case, in order", () => {
    const ids = readText("test/fixtures/cases.txt").trim().split("\n");
    assert.ok(ids.length > 100);
    assert.deepEqual(
      rows.map(({ id }) => id),
      ids,
    );
  });

  it("says of every case what is right, and names its test or the reason why there is none", () => {
    for (const { id, right, proof } of rows) {
      assert.ok(right.length > 5, id);
      assert.ok(named.test(proof) || reason.test(proof), `${id}: ${proof}`);
    }
  });

  it("names tests that there are", () => {
    for (const { id, proof } of rows) {
      const [, file = "", title = ""] = named.exec(proof) ?? [];
      if (file === "") continue;
      assert.ok(existsSync(join(root, file)), `${id}: ${file}`);
      assert.ok(
        titlesIn(readText(file)).some((other) => other.startsWith(title)),
        `${id}: ${title}`,
      );
    }
  });
});

/** Titles of tests; of one that is made of parts, its fixed beginning is enough. */
function titlesIn(source: string): readonly string[] {
  return [...source.matchAll(/\b(?:it|test)\(\s*(["`])((?:\\.|(?!\1).)*)\1/gs)].map((match) => match[2] ?? "");
}
