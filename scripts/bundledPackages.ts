// The packages whose code is in the bundles, each with its licence: for the notices that ship with them and for the
// test that every licence suits.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** As its manifest says, an SPDX expression. */
  readonly licence: string;
  /** The licence's text; undefined where the package ships none. */
  readonly text: string | undefined;
}

export function bundledPackages(inputs: readonly string[]): readonly BundledPackage[] {
  const folders = inputs.flatMap((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []);
  return [...new Set(folders)].sort().map(readPackage);
}

export function notices(packages: readonly BundledPackage[]): string {
  const heading = "Rollcall's bundles contain code of the following packages.\n";
  const parts = packages.map(
    ({ name, version, licence, text }) => `${name} ${version}, ${licence}\n\n${text?.trim() ?? "(no text shipped)"}\n`,
  );
  return [heading, ...parts].join(`\n${"-".repeat(80)}\n\n`);
}

function readPackage(folder: string): BundledPackage {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const file = readdirSync(join(root, folder)).find((name) => /^licen[cs]e(\.\w+)?$/i.test(name));
  return {
    name: manifest.name,
    version: manifest.version,
    licence: manifest.license ?? "none told",
    text: file === undefined ? undefined : readFileSync(join(root, folder, file), "utf8"),
  };
}
