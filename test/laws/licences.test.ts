// Everything in the bundles has a licence that suits a product under MIT, and is named in the notices.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bundledPackages, notices } from "../../scripts/bundledPackages.ts";
import { bundleProduct } from "../../scripts/bundles.ts";

const suited = new Set(["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "BlueOak-1.0.0", "0BSD"]);

describe("the bundled packages", () => {
  it("have suited licences", async () => {
    const packages = bundledPackages(await bundleProduct({ production: false, write: false }));
    const names = packages.map(({ name }) => name);
    for (const given of ["chokidar", "preact", "ps-list", "vscode-jsonrpc", "write-file-atomic", "zod"])
      assert.ok(names.includes(given), `${given} is not seen in the bundles: ${names.join(", ")}`);
    assert.deepEqual(
      packages.filter(({ licence }) => !suited.has(licence)),
      [],
    );
    const text = notices(packages);
    for (const { name, version } of packages) assert.ok(text.includes(`${name} ${version}`), name);
  });
});
