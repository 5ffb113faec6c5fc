// `npm run build`: fills dist/ with what ships.
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundledPackages, notices } from "../bundledPackages.ts";
import { bundleProduct } from "../bundles.ts";

const dist = join(import.meta.dirname, "..", "..", "dist");

rmSync(dist, { recursive: true, force: true });
const inputs = await bundleProduct({ production: process.argv.includes("--production"), write: true });
writeFileSync(join(dist, "THIRD-PARTY-NOTICES.txt"), notices(bundledPackages(inputs)));
chmodSync(join(dist, "rollcall.cjs"), 0o755);
