// Sandboxes that no engine keeps: process trees in a pid namespace of their own, such as bubblewrap or `unshare` make
// them, found in /proc. Only namespaces in which a session was seen are of interest: browsers and packaged programs make
// many more. Nobody named them, so that each is called by its number.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { describeError, errorCode } from "../../../base/errors.ts";
import { limits, periods } from "../../../base/limits.ts";
import { absent, observed, unobserved, type Observation, type SourceId } from "../../../protocol/observation.ts";
import type { ListedSandbox, SandboxListing } from "../../core/sandboxListing.ts";
import { takeCensus } from "../namespaceCensus.ts";
import { procFault } from "../procLook.ts";
import { readProcStat } from "../procStat.ts";
import type { SandboxAdapter } from "./adapter.ts";

export interface NamespacesAdapterOptions {
  readonly now: () => number;
  /** Pid namespaces other than ours in which a session was seen. */
  readonly wanted: () => ReadonlySet<string>;
  /** False where there is no /proc that could be asked. */
  readonly kernelAnswers: boolean;
}

export class NamespacesAdapter implements SandboxAdapter {
  readonly kind = "namespaces";
  readonly source: SourceId = "sandboxes:namespaces";
  readonly periodMs = periods.sandboxListMs.namespaces;
  readonly deadlineMs = limits.fileReadDeadlineMs;
  readonly needsProcesses = true;
  private readonly options: NamespacesAdapterOptions;

  constructor(options: NamespacesAdapterOptions) {
    this.options = options;
  }

  list(): Promise<Observation<SandboxListing>> {
    return Promise.resolve(this.look());
  }

  dispose(): void {
    return undefined;
  }

  private look(): Observation<SandboxListing> {
    const { now, kernelAnswers, wanted } = this.options;
    const at = now();
    if (!kernelAnswers) return absent(this.source, at);
    const fault = procFault();
    if (fault !== undefined) return unobserved(this.source, at, fault);
    try {
      const census = takeCensus(wanted());
      if (census.fault !== undefined) return unobserved(this.source, at, census.fault);
      const sandboxes = [...census.found].flatMap(([namespace, inside]) =>
        inside.size === 0 ? [] : [sandboxOf(namespace, inside)],
      );
      return observed(this.source, at, { sandboxes, skipped: new Map() });
    } catch (error) {
      return unobserved(this.source, at, describeError(error));
    }
  }
}

/** @param inside host pids by the pid inside */
function sandboxOf(namespace: string, inside: ReadonlyMap<number, number>): ListedSandbox {
  const first = inside.get(1);
  const maker = first === undefined ? undefined : makerOf(first);
  return {
    // Numbers are used again when a namespace is gone, and its first process lives as long as it.
    identity: `pidns:${namespace}:${maker?.start ?? "unknown"}`,
    name: `pidns:${namespace}`,
    adapter: maker?.adapter ?? "namespace",
    state: "running",
    says: maker?.says ?? "processes run in this pid namespace",
    derived: true,
    namespace,
  };
}

interface Maker {
  readonly adapter: string;
  readonly start: string;
  readonly says: string;
}

const makers: ReadonlyMap<string, string> = new Map([
  ["bwrap", "bubblewrap"],
  ["unshare", "unshare"],
]);

/** Bubblewrap is the first process itself or its parent, `unshare` its parent. Undefined where nobody tells any more. */
function makerOf(first: number): Maker | undefined {
  try {
    const stat = readProcStat(first);
    for (const pid of [first, stat.ppid]) {
      const program = programOf(pid);
      const adapter = makers.get(program);
      if (adapter !== undefined)
        return { adapter, start: stat.startTicks, says: `made by ${program}, process ${stat.ppid}` };
    }
    return { adapter: "namespace", start: stat.startTicks, says: `its first process is ${first}, ${stat.comm}` };
  } catch (error) {
    const code = errorCode(error);
    // eslint-disable-next-line no-restricted-syntax -- undefined means not told, see above
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw error;
  }
}

function programOf(pid: number): string {
  return basename(readFileSync(`/proc/${pid}/comm`, "latin1").trim());
}
