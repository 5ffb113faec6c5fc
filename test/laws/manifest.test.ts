// The manifest and the code agree: what one names the other has.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { defaultGrouping, groupings, groupingWords } from "../../extension/core/arrangement.ts";
import { commandIds } from "../../extension/core/commandIds.ts";
import type { Welcome } from "../../extension/core/welcomeModel.ts";
import { version } from "../../protocol/version.ts";
import { filesIn, readText, root } from "./repository.ts";

interface MenuEntry {
  /** Exactly one of the two. */
  readonly command?: string;
  readonly submenu?: string;
  readonly when?: string;
}
interface Manifest {
  readonly version: string;
  readonly main: string;
  readonly engines: { readonly vscode: string; readonly node: string };
  readonly activationEvents: readonly string[];
  readonly extensionKind: readonly string[];
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly contributes: {
    readonly commands: readonly {
      readonly command: string;
      readonly title?: string;
      readonly category?: string;
    }[];
    readonly submenus: readonly { readonly id: string; readonly label: string }[];
    readonly menus: Readonly<Record<string, readonly MenuEntry[]>>;
    readonly viewsContainers: { readonly activitybar: readonly { readonly icon: string }[] };
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly icon?: string }[]>>;
    readonly viewsWelcome: readonly { readonly view: string; readonly when?: string; readonly contents: string }[];
    readonly configuration: {
      readonly properties: Readonly<Record<string, { readonly enum?: readonly string[]; readonly default: unknown }>>;
    };
  };
}

const manifest = JSON.parse(readText("package.json")) as Manifest;
const lock = JSON.parse(readText("package-lock.json")) as { readonly version: string };
const { contributes } = manifest;
const extensionText = filesIn("extension/**/*.ts").map(readText).join("\n");

/** Every quoted `rollcall.…` that one file names. */
function quotedIds(file: string): readonly string[] {
  return [...new Set([...readText(file).matchAll(/"(rollcall\.[\w.]+)"/g)].map((match) => match[1] ?? ""))].sort();
}

describe("the manifest", () => {
  it("has the product's version, and so has the lock file", () => {
    assert.equal(manifest.version, version);
    assert.equal(lock.version, version);
  });

  it("contributes the commands that are registered, no more and no fewer", () => {
    const contributed = contributes.commands.map(({ command }) => command).sort();
    assert.deepEqual(contributed, Object.values<string>(commandIds).sort());
  });

  it("gives every command a title and the category Rollcall", () => {
    for (const { command, title, category } of contributes.commands) {
      assert.ok(title !== undefined && title !== "", command);
      assert.equal(category, "Rollcall", command);
    }
  });

  it("names in menus and welcome texts only commands that there are", () => {
    const known = new Set(contributes.commands.map(({ command }) => command));
    const inMenus = Object.values(contributes.menus).flatMap((entries) =>
      entries.flatMap(({ command }) => command ?? []),
    );
    const inTexts = contributes.viewsWelcome.flatMap(({ contents }) =>
      [...contents.matchAll(/\(command:([\w.]+)\)/g)].map((match) => match[1] ?? ""),
    );
    assert.deepEqual(
      [...inMenus, ...inTexts].filter((command) => !known.has(command)),
      [],
    );
  });

  it("shows every submenu, and fills it", () => {
    const shown = Object.values(contributes.menus).flatMap((entries) =>
      entries.flatMap(({ submenu }) => submenu ?? []),
    );
    for (const { id } of contributes.submenus) {
      assert.ok(shown.includes(id), `${id} is shown nowhere`);
      assert.ok((contributes.menus[id] ?? []).length > 0, `${id} is empty`);
    }
    const known = contributes.submenus.map(({ id }) => id);
    assert.deepEqual(
      shown.filter((id) => !known.includes(id)),
      [],
    );
  });

  it("offers each grouping in the menu and as the setting's value, with a tick on the chosen one", () => {
    const menu = contributes.menus["rollcall.groupByMenu"] ?? [];
    for (const grouping of groupings) {
      const conditions = [`rollcall.groupBy != '${grouping}'`, `rollcall.groupBy == '${grouping}'`];
      const entries = menu.filter(({ when }) => conditions.includes(when ?? ""));
      const titles = entries.map(({ command }) => contributes.commands.find((each) => each.command === command)?.title);
      const { label } = groupingWords[grouping];
      assert.deepEqual(titles, [label, `✓ ${label}`]);
    }
    const setting = contributes.configuration.properties["rollcall.groupBy"];
    assert.deepEqual(setting?.enum, [...groupings]);
    assert.equal(setting.default, defaultGrouping);
  });

  it("asks in its conditions only for context keys that are set", () => {
    const set = new Set(quotedIds("extension/contributions/contextKeys.ts"));
    const views = new Set(Object.values(contributes.views).flatMap((list) => list.map(({ id }) => id)));
    const conditions = [
      ...Object.values(contributes.menus).flatMap((entries) => entries.map(({ when }) => when ?? "")),
      ...contributes.viewsWelcome.map(({ when }) => when ?? ""),
    ];
    const named = conditions.flatMap((when) => [...when.matchAll(/\brollcall\.[\w.]+/g)].map(([name]) => name));
    assert.deepEqual(
      named.filter((name) => !set.has(name) && !views.has(name)),
      [],
    );
  });

  it("has views that the code fills and settings that it reads", () => {
    for (const { id } of Object.values(contributes.views).flat()) assert.ok(extensionText.includes(`"${id}"`), id);
    for (const setting of Object.keys(contributes.configuration.properties))
      assert.ok(extensionText.includes(`"${setting.replace(/^rollcall\./, "")}"`), setting);
  });

  it("has a welcome text for each meaning of an empty tree", () => {
    const meanings = ["none", "cannot-tell", "connecting"] as const satisfies readonly Welcome[];
    for (const meaning of meanings) {
      const texts = contributes.viewsWelcome.filter(({ when }) => when?.includes(`rollcall.state == '${meaning}'`));
      assert.equal(texts.length, 1, meaning);
    }
  });

  it("names icons that are there", () => {
    for (const { icon } of contributes.viewsContainers.activitybar) assert.ok(existsSync(join(root, icon)), icon);
  });

  it("starts with the window and runs where the files are", () => {
    assert.deepEqual(manifest.activationEvents, ["onStartupFinished"]);
    assert.deepEqual(manifest.extensionKind, ["workspace"]);
    assert.equal(manifest.main, "./dist/extension.cjs");
    assert.deepEqual(manifest.bin, { rollcall: "./dist/rollcall.cjs" });
  });

  it("allows the VS Code that the types are of, and none older", () => {
    assert.equal(manifest.engines.vscode, `^${manifest.devDependencies["@types/vscode"] ?? "missing"}`);
    assert.equal(manifest.engines.node, ">=20");
  });

  it("pins every dependency to one version", () => {
    const loose = Object.entries(manifest.devDependencies).filter(([, wanted]) => !/^\d+\.\d+\.\d+$/.test(wanted));
    assert.deepEqual(loose, []);
  });
});
