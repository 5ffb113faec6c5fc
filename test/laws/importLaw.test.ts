// The import law is kept, it reads every file, and each of its nets catches what it is there to catch. A tool that
// reads nothing reports nothing, so what it read is counted and broken rules are planted.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  plantedTree,
  productFolders,
  root,
  runToolIn,
  sourceFiles,
  sourceFolders,
  type ToolRun,
} from "./repository.ts";

interface Cruise {
  readonly modules: readonly { readonly source: string }[];
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
  };
}

function cruise(folder: string, folders: readonly string[]): Cruise {
  const { output } = runToolIn(folder, "depcruise", [
    ...folders,
    "--config=.dependency-cruiser.cjs",
    "--output-type=json",
  ]);
  return JSON.parse(output) as Cruise;
}

describe("the import law", () => {
  it("reads every source file, and all of them keep it", () => {
    const { modules, summary } = cruise(root, sourceFolders);
    const read = new Set(modules.map(({ source }) => source));
    const files = sourceFiles().filter((path) => !path.startsWith("test/vscode/trial/extension/"));
    assert.ok(files.length > 100, `${files.length} source files`);
    assert.deepEqual(
      files.filter((path) => !read.has(path)),
      [],
      "files that were not read",
    );
    assert.deepEqual(summary.violations, []);
  });
});

/** What is planted, by the rule that must name it. */
const cruiserPlants = {
  "base-knows-nobody": ["base/planted1.ts", `export type { SourceId } from "../protocol/observation.ts";`],
  "protocol-knows-base": ["protocol/planted.ts", `export type { Observer } from "../agent/observer.ts";`],
  "products-do-not-meet": ["agent/planted.ts", `export { rosterTable } from "../cli/rosterTable.ts";`],
  "only-the-cli-uses-the-agent": ["extension/planted1.ts", `export { runAgent } from "../agent/agent.ts";`],
  "pure-stays-pure": ["extension/core/planted.ts", `export { join } from "node:path";`],
  "core-knows-core": ["agent/core/planted1.ts", `export type { Observer } from "../observer.ts";`],
  "core-not-to-node-folders": ["agent/core/planted2.ts", `export type { Log } from "../../base/node/log.ts";`],
  "observe-does-not-serve": ["agent/observe/planted1.ts", `export { runAgent } from "../agent.ts";`],
  "serve-does-not-observe": ["agent/serve/planted.ts", `export { readHostFacts } from "../observe/hostFacts.ts";`],
  "record-is-told": ["agent/record/planted.ts", `export { readHostFacts } from "../observe/hostFacts.ts";`],
  "nobody-imports-tests": ["cli/planted1.ts", `export * from "../test/planted.ts";`],
  "nobody-imports-scripts": ["cli/planted2.ts", `export * from "../scripts/planted.ts";`],
  "nobody-imports-an-entry": ["cli/planted3.ts", `import "./main.ts";`],
  "vscode-only-in-extension": ["cli/planted4.ts", `export type { Uri } from "vscode";`],
  "processes-start-in-one-place": ["agent/observe/planted2.ts", `export { spawn } from "node:child_process";`],
  "sockets-in-two-places": ["agent/observe/planted3.ts", `export { connect } from "node:net";`],
  "no-other-network": ["extension/planted2.ts", `export { request } from "node:https";`],
  "http-over-unix-sockets-only": ["agent/observe/planted4.ts", `export { request } from "node:http";`],
  "sqlite-in-the-store": ["agent/record/planted2.ts", `export { DatabaseSync } from "node:sqlite";`],
  "only-processTableChild-imports-ps-list": ["agent/planted2.ts", `export { default as list } from "ps-list";`],
  "only-folderWatch-imports-chokidar": ["agent/planted3.ts", `export { watch } from "chokidar";`],
  "only-atomicFile-imports-write-file-atomic": ["cli/planted5.ts", `export { default as w } from "write-file-atomic";`],
  "only-textWidth-imports-get-east-asian-width": [
    "agent/planted4.ts",
    `export { eastAsianWidth } from "get-east-asian-width";`,
  ],
  "only-rpcConnection-imports-vscode-jsonrpc": ["cli/planted6.ts", `export { ResponseError } from "vscode-jsonrpc";`],
  "pages-touch-no-machine": ["webview/planted1.ts", `export { join } from "node:path";`],
  "preact-only-in-pages": ["extension/planted3.ts", `export { h } from "preact";`],
  "no-cycle": ["base/planted2.ts", `export type { B } from "./planted3.ts"; export type A = 1;`],
  "no-dead-file": ["base/planted4.ts", `export const dead = true;`],
  "no-unknown-module": ["base/planted5.ts", `export * from "./nowhere.ts";`],
} as const;

describe("a planted violation is caught by dependency-cruiser", () => {
  const tree = plantedTree({
    ...Object.fromEntries(Object.values(cruiserPlants)),
    "base/planted3.ts": `export type { A } from "./planted2.ts"; export type B = 1;`,
    "test/planted.ts": "export const test = true;",
    "scripts/planted.ts": "export const script = true;",
  });
  const { violations } = cruise(tree.folder, [...productFolders, "scripts", "test"]).summary;
  tree.remove();
  for (const [rule, [file]] of Object.entries(cruiserPlants)) {
    it(rule, () => {
      // A dead file is told from the entry that does not reach it.
      const caught = violations.some(
        ({ from, rule: { name }, ...rest }) => name === rule && JSON.stringify([from, rest]).includes(file),
      );
      assert.ok(caught, `${file} was not caught by ${rule}`);
    });
  }
});

describe("a planted violation is caught by the compiler", () => {
  const plants = {
    "core imports Node": ["agent/core", "agent/core/planted.ts", `export { join } from "node:path";`],
    "core uses a timer": ["extension/core", "extension/core/planted.ts", "export const later: unknown = setTimeout;"],
    "a page knows Node": ["webview", "webview/planted.ts", "export const pid: unknown = process;"],
    "base imports protocol, if only a type": [
      "base",
      "base/planted.ts",
      `export type { SourceId } from "../protocol/observation.ts";`,
    ],
  } as const;
  for (const [title, [project, file, text]] of Object.entries(plants)) {
    it(title, () => {
      const tree = plantedTree({ [file]: text });
      try {
        const { code, output } = runToolIn(tree.folder, "tsc", ["-b", project, "--pretty", "false"]);
        assert.notEqual(code, 0);
        assert.ok(output.includes(file), output);
      } finally {
        tree.remove();
      }
    });
  }
});

/** By title: the file, its text, and a word of the message. */
const lintPlants = {
  "the clock in core": ["agent/core/planted1.ts", "export const at = Date.now();", "the clock is passed in"],
  "a date of now in core": ["agent/core/planted2.ts", "export const at = new Date();", "the clock is passed in"],
  "chance in base": ["base/planted1.ts", "export const dice = Math.random();", "chance is passed in"],
  "a timer in protocol": ["protocol/planted1.ts", "export const later: unknown = setTimeout;", "Scheduler"],
  "the process in core": ["extension/core/planted1.ts", "export const pid: unknown = process;", "touch the machine"],
  "a failure as an empty list": [
    "agent/observe/planted1.ts",
    "export function read(ask: () => string[]): string[] {\n  try {\n    return ask();\n  } catch {\n    return [];\n  }\n}",
    "never empty",
  ],
  "a failure as an empty map, by condition": [
    "agent/observe/planted2.ts",
    "export function read(ask: () => Map<string, string>, ok: boolean): Map<string, string> {\n  try {\n    return ask();\n  } catch {\n    return ok ? ask() : new Map();\n  }\n}",
    "never empty",
  ],
  "a failure that is swallowed": [
    "agent/core/planted3.ts",
    "export function run(ask: () => void): void {\n  try {\n    ask();\n  } catch {\n    // nothing\n  }\n}",
    "never empty",
  ],
  "a rejection as undefined": [
    "agent/observe/planted3.ts",
    "export const read = (ask: Promise<string>): Promise<unknown> => ask.catch(() => undefined);",
    "never empty",
  ],
  "existsSync in a source": [
    "agent/observe/planted4.ts",
    `export { existsSync } from "node:fs";\nimport { existsSync } from "node:fs";\nexport const there = existsSync("/");`,
    "does not answer",
  ],
  "a raw command": [
    "extension/planted1.ts",
    `import { commands } from "vscode";\nexport const registration = commands.registerCommand("x", () => undefined);`,
    "extension/contributions/commands.ts",
  ],
  "a raw status bar item": [
    "extension/planted2.ts",
    `import { window } from "vscode";\nexport const item = window.createStatusBarItem();`,
    "extension/contributions/statusItems.ts",
  ],
  "a raw context key": [
    "extension/planted3.ts",
    `import { commands } from "vscode";\nexport const done = commands.executeCommand("setContext", "a", 1);`,
    "extension/contributions/contextKeys.ts",
  ],
  "a raw webview panel": [
    "extension/planted4.ts",
    `import { window } from "vscode";\nexport const panel = window.createWebviewPanel("a", "b", 1);`,
    "extension/contributions/webviewPanels.ts",
  ],
  "an inline style on a page": [
    "webview/planted1.tsx",
    `import type { VNode } from "preact";\nexport const line = (): VNode => <p style="color: red">red</p>;`,
    "inline styles",
  ],
  "a request of a page": ["webview/planted2.ts", `export const asked = fetch("https://example.org");`, "no network"],
  "an enum": ["cli/planted1.ts", "export enum Kind {\n  One,\n}", "a union of literals"],
  "a default export": ["cli/planted2.ts", "export default 1;", "named exports"],
  "a promise that nobody waits for": [
    "cli/planted3.ts",
    "export function run(ask: () => Promise<void>): void {\n  ask();\n}",
    "Promises must be awaited",
  ],
} as const;

describe("a planted violation is caught by lint", () => {
  const tree = plantedTree(Object.fromEntries(Object.values(lintPlants).map(([file, text]) => [file, text])));
  const run: ToolRun = runToolIn(tree.folder, "eslint", [
    "--format=json",
    ...Object.values(lintPlants).map(([file]) => file),
  ]);
  tree.remove();
  const results = JSON.parse(run.output) as readonly {
    readonly filePath: string;
    readonly messages: readonly { readonly message: string }[];
  }[];
  for (const [title, [file, , says]] of Object.entries(lintPlants)) {
    it(title, () => {
      const messages = results.find(({ filePath }) => filePath.replaceAll("\\", "/").endsWith(file))?.messages ?? [];
      assert.ok(
        messages.some(({ message }) => message.includes(says)),
        `${file}: ${messages.map(({ message }) => message).join("; ")}`,
      );
    });
  }
});
