// The adapters that this host has, by what the environment and the user switch on. A new one is added here.
import { probesSandboxes, sandboxAdapters, type AdapterKind } from "../../../base/node/sandboxAdapters.ts";
import type { Environment } from "../../../base/node/paths.ts";
import type { HostFacts } from "../../core/monitor.ts";
import type { SandboxAdapter } from "./adapter.ts";
import { EngineAdapter } from "./engineAdapter.ts";
import { engineEnds } from "./engineEnds.ts";
import { NamespacesAdapter } from "./namespacesAdapter.ts";
import { SbxAdapter } from "./sbxAdapter.ts";
import { UnreachableAdapter } from "./unreachableAdapter.ts";

export interface AdaptersOptions {
  readonly host: HostFacts;
  readonly now: () => number;
  /** Pid namespaces other than ours in which a session was seen. */
  readonly namespaces: () => ReadonlySet<string>;
}

export interface SandboxOptions {
  readonly adapters: (options: AdaptersOptions) => readonly SandboxAdapter[];
  /** False where a user wants nothing to be run in a sandbox, however little. */
  readonly probing: boolean;
}

/** @throws SandboxAdaptersError for a name that no adapter has */
export function adaptersOf(env: Environment): SandboxOptions {
  const on = sandboxAdapters(env);
  return { adapters: (options) => makeAdapters(on, env, options), probing: probesSandboxes(env) };
}

function makeAdapters(
  on: ReadonlySet<AdapterKind>,
  env: Environment,
  { host, now, namespaces }: AdaptersOptions,
): readonly SandboxAdapter[] {
  const uid = process.getuid?.();
  const engines = process.platform === "win32" ? [] : engineEnds(env, uid).filter(({ kind }) => on.has(kind));
  return [
    ...engines.map((end) =>
      "socket" in end
        ? new EngineAdapter({ end, now, hostNamespace: host.namespace })
        : new UnreachableAdapter(end, now),
    ),
    ...(on.has("sbx") ? [new SbxAdapter({ now, env })] : []),
    ...(on.has("namespaces")
      ? [new NamespacesAdapter({ now, wanted: namespaces, kernelAnswers: host.kernelAnswers })]
      : []),
  ];
}
