// Entry of the agent's process.
import { join } from "node:path";
import { describeError, isRollcallError } from "../base/errors.ts";
import { configDirs, configDirsAreNamed, rollcallPaths } from "../base/node/paths.ts";
import { runAgent } from "./agent.ts";
import { adaptersOf } from "./observe/sandboxes/adapters.ts";

const bundleFolder = import.meta.dirname;

runAgent({
  paths: rollcallPaths(process.env),
  configDirs: configDirs(process.env),
  onlyWatchedFolders: configDirsAreNamed(process.env),
  tableScript: join(bundleFolder, "processTable.mjs"),
  sandboxes: adaptersOf(process.env),
})
  .then((agent) => agent.ended)
  .then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`rollcall agent: ${describeError(error)}\n`);
      // An agent that runs already is what the starter wanted.
      process.exit(isRollcallError(error) && error.kind === "lock-held" ? 0 : 1);
    },
  );
