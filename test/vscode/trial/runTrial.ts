// Proves the hosts before anything of Rollcall is tested in them: a small extension's passing suite ends
// with 0 and its failing suite with 1. Run it by hand or as a test: it ends with 0 when both hold.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runSuite } from "../runSuite.ts";

const here = dirname(fileURLToPath(import.meta.url));
const expected = { passing: 0, failing: 1 } as const;
let proven = true;
for (const [suite, exitCode] of Object.entries(expected)) {
  const startedAt = performance.now();
  const result = await runSuite({
    extensionFolder: join(here, "extension"),
    testsFolder: join(here, suite),
    env: { ROLLCALL_TRIAL: "reached" },
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${suite}: exit ${result.exitCode}, ${JSON.stringify(result.report)}, ${seconds} s`);
  proven &&= result.exitCode === exitCode && result.report !== undefined;
}
process.exit(proven ? 0 : 1);
