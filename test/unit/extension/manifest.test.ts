import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { commandIds } from "../../../extension/core/commandIds.ts";
import type { Welcome } from "../../../extension/core/welcomeModel.ts";

const root = join(import.meta.dirname, "..", "..", "..");

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly category: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string; readonly when: string }[]>>;
    readonly viewsContainers: { readonly activitybar: readonly { readonly icon: string }[] };
    readonly viewsWelcome: readonly { readonly when: string; readonly contents: string }[];
  };
}

describe("the manifest", () => {
  const { contributes } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  const known = new Set<string>(Object.values(commandIds));

  it("lists the commands that the code has, each under the product's name", () => {
    assert.deepEqual(new Set(contributes.commands.map(({ command }) => command)), known);
    assert.ok(contributes.commands.every(({ category }) => category === "Rollcall"));
  });

  it("names only known commands in menus and welcome views", () => {
    const menus = Object.values(contributes.menus).flat();
    const links = contributes.viewsWelcome.flatMap(({ contents }) => [...contents.matchAll(/\(command:([\w.]+)\)/g)]);
    for (const { command } of menus) assert.ok(known.has(command), command);
    for (const [, command] of links) assert.ok(known.has(command ?? ""), command);
  });

  it("has a welcome view for each meaning of an empty tree", () => {
    const meanings = ["none", "cannot-tell", "connecting"] as const satisfies readonly Welcome[];
    for (const meaning of meanings) {
      const views = contributes.viewsWelcome.filter(({ when }) => when.includes(`rollcall.state == '${meaning}'`));
      assert.equal(views.length, 1, meaning);
    }
  });

  it("names files that are there", () => {
    for (const { icon } of contributes.viewsContainers.activitybar) assert.ok(existsSync(join(root, icon)), icon);
  });
});
