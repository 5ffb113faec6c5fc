// `npm run lint`: types, lint, import law and format, without the tests.
import { runTool } from "../testing/tool.ts";
import { sum } from "../testing/outcome.ts";

const outcome = sum([
  await runTool("tsc", ["-b"]),
  await runTool("eslint", [".", "--max-warnings=0"]),
  await runTool("depcruise", [
    ...["agent", "base", "cli", "extension", "protocol", "scripts", "test", "webview"],
    "--config=.dependency-cruiser.cjs",
  ]),
  await runTool("prettier", ["--check", "."]),
]);
process.exit(outcome.failed === 0 ? 0 : 1);
