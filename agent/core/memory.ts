// What an agent leaves for the next one: the processes it knew, what they claimed, the rows as last seen, and how their
// status changed.
// Taken up again as knowledge of its age, never as an observation: the next agent asks anew.
import type { EpochMs } from "../../base/clock.ts";
import type { ProcessInstance } from "../../protocol/ids.ts";
import type { Session } from "../../protocol/roster.ts";
import type { AgentMemory } from "./memorySchema.ts";
import { newMonitor, type HostFacts, type Monitor } from "./monitor.ts";
import type { ListedSandbox, SandboxListing } from "./sandboxListing.ts";
import { noSandboxes, type SandboxesKnown } from "./sandboxesKnown.ts";
import type { ProcessLife, ProcessMemory } from "./processes.ts";
import type { StatusHistories } from "./statusHistory.ts";

export function toMemory(
  monitor: Monitor,
  sessions: readonly Session[],
  now: EpochMs,
  histories: StatusHistories = new Map(),
): AgentMemory {
  const processes = [...monitor.processes].filter(
    // A background session may run in what began as a spare.
    ([instance, { facts }]) =>
      facts.role.kind === "session" || (facts.role.kind === "helper" && monitor.claims.has(instance)),
  );
  return {
    version: 1,
    writtenAt: now,
    bootId: monitor.host.bootId,
    namespace: monitor.host.namespace,
    processes: processes.map(([instance, { facts, life }]) => {
      const { role, ...rest } = facts;
      return {
        ...rest,
        instance,
        conversationId: role.kind === "session" ? role.conversationId : undefined,
        aliveAsOf: life.kind === "alive" ? life.asOf : life.aliveAsOf,
        ...(life.kind === "gone" ? { gone: { at: life.at, source: life.source, because: life.because } } : {}),
      };
    }),
    claims: [...monitor.claims].map(([instance, claims]) => ({ instance, claims: [...claims] })),
    sessions: [...sessions],
    histories: [...histories],
    sandboxLists: rememberedLists(monitor.sandboxes),
  };
}

/** Namespaces are numbered anew at each start of the host, and their trees are found anew. */
function rememberedLists({ lists }: SandboxesKnown): NonNullable<AgentMemory["sandboxLists"]> {
  return [...lists].flatMap(([source, known]) => {
    if (known.kind !== "current" && known.kind !== "stale") return [];
    const sandboxes = known.value.sandboxes.filter(({ derived }) => derived !== true);
    return [{ source: source as `sandboxes:${string}`, asOf: known.asOf, sandboxes }];
  });
}

const notAskedAgain = "known from before the agent's start, not asked yet";

function sandboxesKnown(remembered: AgentMemory["sandboxLists"]): SandboxesKnown {
  const lists = (remembered ?? []).map(({ source, asOf, sandboxes }) => {
    const listing: SandboxListing = { sandboxes: sandboxes.map(withoutNamespace), skipped: new Map() };
    return [source, { kind: "stale", value: listing, asOf, since: asOf, cause: notAskedAgain }] as const;
  });
  return { ...noSandboxes, lists: new Map(lists) };
}

/** A monitor that knows what the earlier agent knew, each thing with its age and marked as not asked yet. */
export function fromMemory(host: HostFacts, memory: AgentMemory): Monitor {
  const fresh = newMonitor(host);
  const remembered = new Map(memory.sessions.map((session) => [session.key, session]));
  const sandboxes = sandboxesKnown(memory.sandboxLists);
  // Pids of another pid namespace say nothing here.
  if (memory.namespace !== host.namespace) return { ...fresh, remembered, sandboxes };
  const rebooted = memory.bootId !== undefined && host.bootId !== undefined && memory.bootId !== host.bootId;
  const processes = new Map<ProcessInstance, ProcessMemory>();
  for (const { instance, conversationId, aliveAsOf, gone, ...facts } of memory.processes) {
    const life: ProcessLife =
      gone !== undefined
        ? { kind: "gone", ...gone, aliveAsOf }
        : rebooted
          ? {
              kind: "gone",
              at: host.bootedAt ?? memory.writtenAt,
              source: "proc",
              because: "the host was started again",
              aliveAsOf,
            }
          : { kind: "alive", asOf: aliveAsOf, source: "proc" };
    processes.set(instance as ProcessInstance, {
      facts: {
        pid: facts.pid,
        startToken: facts.startToken,
        startedAt: facts.startedAt,
        ppid: facts.ppid,
        namespace: facts.namespace,
        namespacePid: facts.namespacePid,
        cwd: facts.cwd,
        configDir: facts.configDir,
        ...(facts.hasOtherMounts === undefined ? {} : { hasOtherMounts: facts.hasOtherMounts }),
        ...(facts.containers === undefined ? {} : { containers: facts.containers }),
        role: { kind: "session", conversationId },
      },
      life,
      unobserved: life.kind === "alive" ? { since: aliveAsOf, cause: notAskedAgain } : undefined,
    });
  }
  const claims = new Map(
    memory.claims.map(({ instance, claims: held }) => [
      instance as ProcessInstance,
      held.map((claim) => ({ ...claim, record: claim.record, overwritten: claim.overwritten === true })),
    ]),
  );
  return { ...fresh, processes, claims, remembered, sandboxes };
}

/** What the kernel numbered then may be another one's now. */
function withoutNamespace({ namespace: _then, ...sandbox }: ListedSandbox): ListedSandbox {
  return sandbox;
}
