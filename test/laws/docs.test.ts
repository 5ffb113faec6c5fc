// Documents that stay true on every machine: no path of one, no link into nothing, and a first page that says how
// to begin.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { filesIn, readText, root } from "./repository.ts";

const documents = [...filesIn("*.md"), ...filesIn("{docs,test,media}/**/*.md")];
/** Home folders of people in examples. */
const machinePath = /(^|[\s"'`(=:])\/(work|root|srv|home\/(?!dev\b|u\b|you\b|user\b))[/\w]*/;

describe("the documents", () => {
  it("are there", () => {
    for (const name of ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/style.md"])
      assert.ok(documents.includes(name), name);
    assert.ok(filesIn("docs/decisions/*.md").length > 0);
  });

  for (const document of documents) {
    it(`${document} names no machine's paths`, () => {
      const lines = readText(document).split("\n");
      assert.deepEqual(
        lines.filter((line) => machinePath.test(line)),
        [],
      );
    });

    it(`${document} links to files that there are`, () => {
      const links = [...readText(document).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "");
      const broken = links
        .filter((link) => !/^[a-z]+:/i.test(link) && !link.startsWith("#"))
        .filter((link) => !existsSync(join(root, dirname(document), link.split("#")[0] ?? "")));
      assert.deepEqual(broken, []);
    });
  }

  it("README.md begins with how to start and how to test", () => {
    const first = readText("README.md").split("\n").slice(0, 12).join("\n");
    assert.match(first, /npm start/);
    assert.match(first, /npm test/);
  });

  it("decisions are numbered without gaps, and each has context, decision and consequences", () => {
    const decisions = filesIn("docs/decisions/*.md");
    assert.deepEqual(
      decisions.map((path) => Number(/(\d{4})-[\w-]+\.md$/.exec(path)?.[1])),
      decisions.map((_path, index) => index + 1),
    );
    for (const path of decisions)
      for (const heading of ["## Context", "## Decision", "## Consequences"])
        assert.ok(readText(path).includes(heading), `${path}: ${heading}`);
  });
});
