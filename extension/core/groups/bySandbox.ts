// Groups by where a session runs: this host, then each sandbox by name. A sandbox without sessions is shown too, and
// so is one that only a row names: a sandbox is never hidden because a source failed.
import { coarseSpan } from "../../../base/coarseAge.ts";
import type { EpochMs } from "../../../base/clock.ts";
import { compareText } from "../../../base/compareText.ts";
import type { Sandbox, Session } from "../../../protocol/roster.ts";
import { staleColor } from "../rowLooks.ts";
import { sandboxStaleness } from "../staleness.ts";
import type { RosterState } from "../rosterState.ts";
import { group, partition, type Group } from "./group.ts";

export interface SandboxGrouping {
  readonly state: RosterState;
  readonly sandboxes: readonly Sandbox[];
  readonly now: EpochMs;
}

export function groupBySandbox(sessions: readonly Session[], told: SandboxGrouping): readonly Group[] {
  const parts = partition(sessions, (session) => session.sandbox);
  const known = new Map(told.sandboxes.map((sandbox) => [sandbox.name, sandbox]));
  const names = new Set([...known.keys(), ...[...parts.keys()].filter((name) => name !== null)]);
  const host = parts.get(null);
  return [
    ...(host === undefined ? [] : [group("host", "This host", "device-desktop", { sessions: host })]),
    ...[...names].sort(compareText).map((name) => {
      const sandbox = known.get(name);
      const part = parts.get(name) ?? [];
      return sandbox === undefined ? unlistedSandbox(name, part) : sandboxGroup(sandbox, part, told);
    }),
  ];
}

export function sandboxGroup(sandbox: Sandbox, sessions: readonly Session[], told: SandboxGrouping): Group {
  const stale = sandboxStaleness(told.state, sandbox);
  const age = stale === undefined ? "" : `stale ${coarseSpan(told.now - stale.asOf)}`;
  // Each row tells the age by itself while the agent is away.
  const noted = stale !== undefined && sessions.length > 0 && told.state.kind === "live";
  return group(`sandbox:${sandbox.name}`, sandbox.title ?? sandbox.name, "package", {
    says: [
      // First, where a narrow view does not cut it off.
      ...(stale === undefined ? [] : [sessions.length === 0 ? age : "stale"]),
      ...knownOf(sandbox),
      ...(sandbox.title === undefined ? [] : [sandbox.name]),
      ...(sandbox.node === undefined ? [] : [`on ${sandbox.node}`]),
      ...(sandbox.derived === true ? [derivedWords] : []),
    ],
    icon: { icon: "package", color: stale === undefined ? undefined : staleColor },
    context: "sandbox",
    sandbox,
    sessions,
    notes: noted ? [{ id: "stale", label: stale.why, description: age }] : [],
  });
}

/** Its name is made up from its number. */
const derivedWords = "no name is known";

/** Its state, and who says so where that is not this host's own process table. */
function knownOf({ state, adapter }: Sandbox): readonly string[] {
  const unknown = "not known whether it runs";
  switch (adapter) {
    case "registry":
      return state === "unknown" ? ["recorded", unknown] : [state, "recorded"];
    case "proc":
    case "unshare":
      return [state === "unknown" ? unknown : state];
    default:
      return [state === "unknown" ? unknown : state, adapter];
  }
}

function unlistedSandbox(name: string, sessions: readonly Session[]): Group {
  const derived = sessions.some(({ sandboxDerived }) => sandboxDerived === true);
  return group(`sandbox:${name}`, name, "package", {
    says: ["not known whether it runs", ...(derived ? [derivedWords] : [])],
    context: "sandbox",
    sessions,
  });
}
