// By which name each listed sandbox is shown, and which one a process runs in. Names are compared whole and are never
// guessed: where two sandboxes have one name, each is told with what sets it apart, and a process belongs to the
// sandbox that the kernel proves, by its control group or its pid namespace.
import type { ProcessFacts } from "./processes.ts";
import type { ListedSandbox } from "./sandboxListing.ts";
import { listedSandboxes, type KnownSandbox, type SandboxesKnown } from "./sandboxesKnown.ts";

export interface NamedSandbox {
  readonly name: string;
  readonly listed: ListedSandbox;
  /** Missing for one that left its list. */
  readonly known: KnownSandbox | undefined;
}

interface SandboxIndex {
  readonly shown: readonly NamedSandbox[];
  readonly byIdentity: ReadonlyMap<string, NamedSandbox>;
  /** Undefined where two have it. */
  readonly byNamespace: ReadonlyMap<string, NamedSandbox | undefined>;
}

const indexes = new WeakMap<SandboxesKnown, SandboxIndex>();

/** Those that are on a list. */
export function namedSandboxes(known: SandboxesKnown): readonly NamedSandbox[] {
  return indexOf(known).shown;
}

export function sandboxOfProcess(
  known: SandboxesKnown,
  { containers, namespace }: Pick<ProcessFacts, "containers" | "namespace">,
): NamedSandbox | undefined {
  const { byIdentity, byNamespace } = indexOf(known);
  // The outermost: what runs inside can name further groups below its own, and so never one above.
  for (const id of containers ?? []) {
    const found = byIdentity.get(id);
    if (found !== undefined) return found;
  }
  return containers === undefined && namespace !== undefined ? byNamespace.get(namespace) : undefined;
}

/** Also one that left its list. */
export function sandboxOfIdentity(known: SandboxesKnown, identity: string): NamedSandbox | undefined {
  return indexOf(known).byIdentity.get(identity);
}

export function sandboxOfNamespace(known: SandboxesKnown, namespace: string): NamedSandbox | undefined {
  return indexOf(known).byNamespace.get(namespace);
}

function indexOf(known: SandboxesKnown): SandboxIndex {
  const made = indexes.get(known) ?? makeIndex(known);
  indexes.set(known, made);
  return made;
}

function makeIndex(known: SandboxesKnown): SandboxIndex {
  const listed = withNames(listedSandboxes(known));
  const byNamespace = namespacesOf(listed);
  const byIdentity = new Map<string, NamedSandbox>();
  // One that is there again under its old name is called the same.
  for (const { sandbox } of known.gone.values())
    byIdentity.set(sandbox.identity, { name: sandbox.name, listed: sandbox, known: undefined });
  for (const each of listed) byIdentity.set(each.listed.identity, each);
  return { shown: listed.filter((each) => !isNamedBetter(each, byNamespace)), byIdentity, byNamespace };
}

function namespacesOf(listed: readonly NamedSandbox[]): SandboxIndex["byNamespace"] {
  const found = new Map<string, NamedSandbox | undefined>();
  const rank = [...listed].sort((a, b) => Number(b.listed.derived === true) - Number(a.listed.derived === true));
  for (const each of rank) {
    const { namespace } = each.listed;
    if (namespace === undefined) continue;
    const other = found.get(namespace);
    const isFirst = other === undefined ? !found.has(namespace) : other.listed.derived === true;
    found.set(namespace, isFirst ? each : undefined);
  }
  return found;
}

/** A namespace that an engine names is that engine's sandbox, whoever else found it among the processes. */
function isNamedBetter(
  { listed: { derived, namespace } }: NamedSandbox,
  byNamespace: SandboxIndex["byNamespace"],
): boolean {
  if (derived !== true || namespace === undefined) return false;
  return byNamespace.get(namespace)?.listed.derived !== true;
}

function withNames(listed: readonly KnownSandbox[]): readonly NamedSandbox[] {
  const holders = new Map<string, ListedSandbox[]>();
  for (const { listed: each } of listed) {
    const same = holders.get(each.name);
    if (same === undefined) holders.set(each.name, [each]);
    else same.push(each);
  }
  return listed.map((known) => ({
    name: shownName(known.listed, holders.get(known.listed.name) ?? []),
    listed: known.listed,
    known,
  }));
}

const shortIdentity = 12;

function shownName(sandbox: ListedSandbox, sameName: readonly ListedSandbox[]): string {
  if (sameName.length < 2) return sandbox.name;
  const sameAdapter = sameName.filter(({ adapter }) => adapter === sandbox.adapter);
  const apart = sameAdapter.length < 2 ? sandbox.adapter : sandbox.identity.slice(0, shortIdentity);
  return `${sandbox.name} (${apart})`;
}
