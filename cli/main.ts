// Entry of the `rollcall` command: a small file, so that Node keeps the compiled code of the large one between runs.
import nodeModule from "node:module";

// eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- the oldest Node that the manifest allows lacks it
nodeModule.enableCompileCache?.();
nodeModule.createRequire(import.meta.filename)("./cli.cjs");
