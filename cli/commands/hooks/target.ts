// Which settings an act of `rollcall hooks` is about, and which spool their hooks write to.
import { statSync } from "node:fs";
import { join } from "node:path";
import { rollcallError, type RollcallError } from "../../../base/errors.ts";
import { canonicalPath, configDirs, rollcallPaths } from "../../../base/node/paths.ts";
import { spoolNameOf } from "../../../protocol/hookSpool.ts";
import type { HookTarget } from "../../../protocol/node/hookInstaller.ts";
import type { CommandIO } from "../../command.ts";

export interface HooksAsked {
  readonly configDir: string | undefined;
  readonly yes: boolean;
  readonly json: boolean;
}

export type HookTargetErrorKind = "no-config-folder";

/** @throws RollcallError where there is no such folder: an agent that was never here has none */
export function hookTargets({ configDir }: HooksAsked, io: CommandIO): readonly HookTarget[] {
  const wanted = configDir === undefined ? configDirs(io.env) : [canonicalPath(configDir)];
  const found = wanted.filter(isFolder);
  if (found.length === 0) throw noFolder(wanted);
  const { dataDir, spool } = rollcallPaths(io.env);
  const spoolFolder = join(spool, spoolNameOf(io.env));
  return found.map((folder) => ({ configDir: folder, spoolFolder, dataDir }));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function noFolder(wanted: readonly string[]): RollcallError<HookTargetErrorKind> {
  return rollcallError(
    "no-config-folder",
    `there is no config folder ${wanted.join(" or ")}; start the coding agent once, or give another with --config-dir`,
  );
}
