// What is known of sandboxes by their adapters, as one value that is replaced whole: each adapter's last list with its
// age, and those that left a list.
import type { Known, SourceId } from "../../protocol/observation.ts";
import type { EpochMs } from "../../base/clock.ts";
import { valueOf } from "./observation.ts";
import type { ProbeMemory } from "./probeMemory.ts";
import type { GoneSandbox, ListAge, ListedSandbox, SandboxListing, SandboxState } from "./sandboxListing.ts";

export interface SandboxesKnown {
  readonly lists: ReadonlyMap<SourceId, Known<SandboxListing>>;
  /** By `sandboxKey`, oldest first. */
  readonly gone: ReadonlyMap<string, GoneSandbox>;
  /** Since when each has its state and start, by identity. */
  readonly since: ReadonlyMap<string, StateSince>;
  /** What probes told of each, by identity. */
  readonly probes: ReadonlyMap<string, ProbeMemory>;
}

export interface StateSince {
  readonly state: SandboxState;
  readonly run: string | undefined;
  readonly at: EpochMs;
}

export const noSandboxes: SandboxesKnown = { lists: new Map(), gone: new Map(), since: new Map(), probes: new Map() };

export function sandboxKey(source: SourceId, identity: string): string {
  return `${source}#${identity}`;
}

export interface KnownSandbox {
  readonly key: string;
  readonly listed: ListedSandbox;
  readonly age: ListAge;
}

/** Every sandbox that is on a list, once: an engine may answer on two sockets. */
export function listedSandboxes({ lists }: SandboxesKnown): readonly KnownSandbox[] {
  const found = new Map<string, KnownSandbox>();
  for (const [source, known] of lists) {
    for (const listed of valueOf(known)?.sandboxes ?? []) {
      const next = { key: sandboxKey(source, listed.identity), listed, age: ageOf(source, known) };
      const same = found.get(listed.identity);
      if (same === undefined || fresher(next.age, same.age)) found.set(listed.identity, next);
    }
  }
  return [...found.values()];
}

function fresher(next: ListAge, known: ListAge): boolean {
  if ((next.stale === undefined) !== (known.stale === undefined)) return next.stale === undefined;
  return next.stale !== undefined && next.asOf > known.asOf;
}

function ageOf(source: SourceId, known: Known<SandboxListing>): ListAge {
  const asOf = known.kind === "never" ? 0 : known.asOf;
  const stale = known.kind === "stale" ? { since: known.since, cause: known.cause } : undefined;
  return { source, asOf, stale };
}
