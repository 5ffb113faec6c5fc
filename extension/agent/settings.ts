// The user's settings as the rest of the extension needs them.
import { join } from "node:path";
import type { WorkspaceConfiguration } from "vscode";
import { adapterKinds } from "../../base/node/sandboxAdapters.ts";
import { canonicalPath, configDirs, homeDir, type Environment } from "../../base/node/paths.ts";

/** Bounded by what the handshake takes. */
const configDirsAtMost = 32;

/** The config folders of the environment and those of the setting, without doubles. */
export function watchedConfigDirs(env: Environment, settings: Pick<WorkspaceConfiguration, "get">): readonly string[] {
  const more = settings.get<readonly unknown[]>("configDirs", []);
  const named = more.filter((dir): dir is string => typeof dir === "string" && dir.trim() !== "");
  const dirs = [...configDirs(env), ...named.map((dir) => canonicalPath(atHome(env, dir.trim())))];
  return [...new Set(dirs)].slice(0, configDirsAtMost);
}

function atHome(env: Environment, dir: string): string {
  if (dir === "~") return homeDir(env);
  return /^~[\\/]/.test(dir) ? join(homeDir(env), dir.slice(2)) : dir;
}

/** The coding agent's program as terminals start it. */
export function claudePath(settings: Pick<WorkspaceConfiguration, "get">): string {
  const told = settings.get<unknown>("claudePath");
  return typeof told === "string" && told.trim() !== "" ? told.trim() : "claude";
}

/** What an agent is started with: the environment, and where it does not say it which sandboxes the setting wants asked. */
export function agentEnvironment(env: Environment, settings: Pick<WorkspaceConfiguration, "get">): Environment {
  const wanted = settings.get<readonly unknown[]>("sandboxes.adapters", adapterKinds);
  const named = adapterKinds.filter((kind) => wanted.includes(kind));
  if (env["ROLLCALL_SANDBOX_ADAPTERS"] !== undefined || named.length === adapterKinds.length) return env;
  return { ...env, ROLLCALL_SANDBOX_ADAPTERS: named.length === 0 ? "none" : named.join(",") };
}
