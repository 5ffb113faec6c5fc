// Intents that could not be written and wait: what each of them says in words, and which of them something newer took
// the place of. They are carried out in their order, each as if its moment had come then; a later word about the same
// session counts more. Where they are kept is `journalState.ts`.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { changeRegistry, type RegistryIntent } from "./registryChange.ts";
import { departedAt, parseRegistry, type RegistryDocument } from "./registryDocument.ts";

export interface KeptIntent {
  readonly n: number;
  readonly at: EpochMs;
  /** Why it could not be written. */
  readonly cause: string;
  readonly intent: RegistryIntent;
}

/** Without a sandbox, in whichever it is. */
export interface Forgotten {
  readonly id: string;
  readonly sandbox: string | undefined;
}

export interface SettledIntent {
  readonly n: number;
  readonly at: EpochMs;
  readonly how: "applied" | "unneeded" | "superseded" | "refused" | "cancelled";
  /** What took its place, or why it was refused. */
  readonly says: string;
  readonly intent?: KeptIntent;
}

export interface Replay {
  /** The registry's text once they are carried out; undefined where nothing changes. */
  readonly text: string | undefined;
  /** Those whose change is in the text. */
  readonly written: readonly number[];
  readonly others: readonly Omit<SettledIntent, "at">[];
}

/** When a session was last seen to begin, as far as anybody saw it. */
export type LastStart = (id: string) => EpochMs | undefined;

export function replayIntents(document: RegistryDocument, kept: readonly KeptIntent[], lastStart: LastStart): Replay {
  let now = document;
  const written: number[] = [];
  const others: Omit<SettledIntent, "at">[] = [];
  for (const [index, each] of kept.entries()) {
    const { n } = each;
    const newer = supersededBy(now, each, kept.slice(index + 1), lastStart);
    if (newer !== undefined) {
      others.push({ n, how: "superseded", says: newer });
      continue;
    }
    const change = changeRegistry(now, sparing(now, each));
    switch (change.kind) {
      case "changed": {
        written.push(n);
        const parsed = parseRegistry(change.text);
        if (parsed.kind === "unreadable") throw new Error(parsed.cause);
        now = parsed.document;
        break;
      }
      case "unchanged":
        others.push({ n, how: "unneeded", says: "the registry said so already" });
        break;
      case "refused":
        others.push(
          change.because.kind === "not-recorded"
            ? { n, how: "unneeded", says: "it was not recorded" }
            : { n, how: "refused", says: change.because.kind === "ambiguous" ? "it is recorded in several" : "empty" },
        );
        break;
      default:
        unreachable(change);
    }
  }
  return { text: now === document ? undefined : now.text, written, others };
}

/** The act and what it is about, in words. */
export function intentWords(intent: RegistryIntent): string {
  switch (intent.kind) {
    case "put":
      return `put ${intent.entry.fields.session_id} into ${intent.sandbox}`;
    case "replace":
      return `replace ${intent.sandbox} (${intent.entries.length})`;
    case "forget":
    case "depart":
      return `${intent.kind} ${intent.id}${intent.sandbox === undefined ? "" : ` in ${intent.sandbox}`}`;
    default:
      return unreachable(intent);
  }
}

/** The sessions of which it says that they are to go. */
export function forgottenBy(intent: RegistryIntent | undefined): readonly Forgotten[] {
  return intent?.kind === "forget" ? [{ id: intent.id, sandbox: intent.sandbox }] : [];
}

/** A later word about the same session; undefined where there is none. */
function supersededBy(
  document: RegistryDocument,
  { intent, at }: KeptIntent,
  later: readonly KeptIntent[],
  lastStart: LastStart,
): string | undefined {
  if (intent.kind === "replace") return undefined;
  const id = intent.kind === "put" ? intent.entry.fields.session_id : intent.id;
  // Without the sandbox it may be another one that is meant.
  const forgotten = later.find(
    ({ intent: other }) =>
      other.kind === "forget" && other.id === id && other.sandbox !== undefined && other.sandbox === intent.sandbox,
  );
  if (forgotten !== undefined && intent.kind !== "forget") return `intent #${forgotten.n} forgets it`;
  const stored = storedFields(document, id, intent.sandbox);
  if (intent.kind === "put") {
    const left = stored.map((fields) => departedAt(fields) ?? 0).find((stamp) => stamp > at);
    return left === undefined ? undefined : `it departed at ${new Date(left).toISOString()}`;
  }
  const began = Math.max(lastStart(id) ?? 0, ...stored.map(({ started_at_ms }) => started_at_ms ?? 0));
  return began > at ? `it started again at ${new Date(began).toISOString()}` : undefined;
}

/** A new slice of then tells nothing of what started since. */
function sparing(document: RegistryDocument, { intent, at }: KeptIntent): RegistryIntent {
  if (intent.kind !== "replace") return intent;
  const entries = document.slices.get(intent.sandbox)?.entries ?? [];
  const spares = entries.filter(({ fields }) => (fields.started_at_ms ?? 0) > at);
  return spares.length === 0 ? intent : { ...intent, spares: spares.map(({ fields }) => fields.session_id) };
}

function storedFields(document: RegistryDocument, id: string, sandbox: string | undefined) {
  return [...document.slices.values()]
    .filter(({ name }) => (sandbox ?? name) === name)
    .flatMap(({ entries }) => entries.map(({ fields }) => fields))
    .filter(({ session_id }) => session_id === id);
}

/** Why no further one can be kept; undefined where it can. */
export function isFull(kept: readonly KeptIntent[], next: RegistryIntent): string | undefined {
  if (kept.length >= limits.keptIntents) return `${kept.length} intents wait already`;
  const bytes = JSON.stringify([...kept.map(({ intent }) => intent), next]).length;
  return bytes > limits.keptIntentsBytes ? `the intents that wait fill ${limits.keptIntentsBytes} bytes` : undefined;
}
