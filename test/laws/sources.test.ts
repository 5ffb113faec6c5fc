// Habits of the sources that no tool of the shelf checks.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readText, sourceFiles } from "./repository.ts";

describe("the sources", () => {
  const files = sourceFiles();

  it("each begin with what the file is; a test is what its name says", () => {
    assert.deepEqual(
      files.filter((path) => !path.endsWith(".test.ts") && !readText(path).startsWith("//")),
      [],
    );
  });

  it("say why wherever a rule is switched off", () => {
    const silent = files.flatMap((path) =>
      readText(path)
        .split("\n")
        .filter((line) => /^\s*(\/\/|\/\*) (eslint-disable|@ts-expect-error|prettier-ignore)/.test(line))
        .filter((line) => !/ -- \S+ \S+/.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    assert.deepEqual(silent, []);
  });

  it("never silence the compiler wholesale", () => {
    const silenced = files.filter((path) => /^\s*\/\/ @ts-(ignore|nocheck)/m.test(readText(path)));
    assert.deepEqual(silenced, []);
  });
});
