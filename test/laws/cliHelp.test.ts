// What the CLI says of itself and what the README says of it are the same.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { filesIn, readText, root } from "./repository.ts";

function help(...args: readonly string[]): string {
  const done = spawnSync(process.execPath, [join(root, "dist", "rollcall.cjs"), ...args, "--help"], {
    encoding: "utf8",
  });
  assert.equal(done.status, 0, `rollcall ${args.join(" ")} --help: ${done.stderr}; is it built? npm run build`);
  return done.stdout;
}

describe("rollcall --help", () => {
  const readme = readText("README.md");
  const overview = help();
  const commands = [...overview.matchAll(/^ {2}([a-z]+) +\S/gm)].map((match) => match[1] ?? "");

  it("lists the commands that there are", () => {
    const files = filesIn("cli/commands/*.ts").map((path) => /(\w+)\.ts$/.exec(path)?.[1]);
    assert.deepEqual([...commands].sort(), files);
  });

  for (const command of commands) {
    it(`${command} is in the README with each of its options`, () => {
      assert.ok(readme.includes(`rollcall ${command}`));
      const options = [...help(command).matchAll(/^ {2}(--[a-z]+)/gm)].map((match) => match[1] ?? "");
      for (const option of options) assert.ok(readme.includes(option), option);
    });
  }

  it("names no variable that the README does not", () => {
    const variables = [...overview.matchAll(/\b(ROLLCALL_[A-Z_]+|CLAUDE_CONFIG_DIR)\b/g)].map(([name]) => name);
    assert.ok(variables.length > 0);
    for (const name of variables) assert.ok(readme.includes(name), name);
  });
});
