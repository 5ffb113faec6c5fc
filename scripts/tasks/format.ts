// `npm run format`: what prettier and eslint can put right by themselves.
import { runTool } from "../testing/tool.ts";
import { sum } from "../testing/outcome.ts";

const outcome = sum([await runTool("eslint", [".", "--fix"]), await runTool("prettier", ["--write", "."])]);
process.exit(outcome.failed === 0 ? 0 : 1);
