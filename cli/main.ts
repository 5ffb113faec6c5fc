// Entry of the `rollcall` command: a small file, so that Node keeps the compiled code of the large one between runs.
import { createRequire, enableCompileCache } from "node:module";

enableCompileCache();
createRequire(import.meta.filename)("./cli.cjs");
