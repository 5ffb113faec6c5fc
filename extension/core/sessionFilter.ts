// The tree's filter: what a person types, as terms that all have to match. A term is a word, or `field:value` for
// one of the fields; a minus before it turns it round; quotes keep blanks together. What names no field is a word,
// since titles hold colons too. Nothing typed is an error: a term that cannot match is told as a hint.
import type { Session } from "../../protocol/roster.ts";
import { statusKinds } from "../../protocol/roster.ts";
import { statusWords } from "../../protocol/statusWords.ts";

export interface SessionFilter {
  /** As it was typed, without blanks around it; empty for none. */
  readonly text: string;
  readonly terms: readonly FilterTerm[];
}

export type FilterTerm =
  | { readonly kind: "word"; readonly value: string; readonly excludes: boolean }
  | { readonly kind: "field"; readonly field: FilterField; readonly value: string; readonly excludes: boolean };

export const filterFields = ["status", "is", "sandbox", "folder", "title", "id", "tool"] as const;
export type FilterField = (typeof filterFields)[number];

export const noFilter: SessionFilter = { text: "", terms: [] };

/** What `is:` takes, beside every kind of status. */
const states = {
  live: ({ liveness }) => liveness.kind === "live",
  ended: ({ liveness }) => liveness.kind === "ended",
  unknown: ({ liveness }) => liveness.kind === "unknown",
  stale: ({ liveness }) => liveness.stale,
  recorded: ({ registry }) => registry.recorded,
  departed: ({ registry }) => registry.departedAt !== undefined,
  dropped: ({ registry }) => registry.droppedAt !== undefined,
  gone: ({ folderGone }) => folderGone === true,
  host: ({ sandbox }) => sandbox === null,
  sandboxed: ({ sandbox }) => sandbox !== null,
} as const satisfies Record<string, (session: Session) => boolean>;

export const filterStates: readonly string[] = Object.keys(states);

export function parseFilter(text: string): SessionFilter {
  const trimmed = text.trim();
  const words = trimmed.match(/-?(?:[a-z]+:)?"[^"]*"?|\S+/gi) ?? [];
  return { text: trimmed, terms: words.flatMap(termOf) };
}

export function matchesFilter(filter: SessionFilter, session: Session): boolean {
  return filter.terms.every((term) => matchesTerm(term, session) !== term.excludes);
}

/** Whether a sandbox without sessions is meant: only what can be said of a sandbox counts. */
export function matchesSandboxName(filter: SessionFilter, name: string): boolean {
  return filter.terms.every((term) => {
    const ofSandbox = term.kind === "word" || term.field === "sandbox";
    return ofSandbox ? includes(name, term.value) !== term.excludes : term.excludes;
  });
}

/** What can never match, in words; undefined while all is well. */
export function filterHint(filter: SessionFilter): string | undefined {
  for (const term of filter.terms) {
    if (term.kind === "word") continue;
    if (term.field === "is" && !Object.hasOwn(states, term.value) && statusesOf(term.value).length === 0)
      return `is:${term.value} is not known; there are ${[...filterStates, ...statusKinds].join(", ")}`;
    if (term.field === "status" && statusesOf(term.value).length === 0)
      return `status:${term.value} is not known; there are ${statusKinds.join(", ")}`;
  }
  return undefined;
}

function termOf(typed: string): readonly FilterTerm[] {
  const excludes = typed.startsWith("-");
  const rest = excludes ? typed.slice(1) : typed;
  const colon = rest.indexOf(":");
  const field = filterFields.find((each) => each === rest.slice(0, Math.max(colon, 0)).toLowerCase());
  const value = (field === undefined ? rest : rest.slice(colon + 1)).replaceAll('"', "").toLowerCase();
  // A field whose value is still being typed asks for nothing yet.
  if (value === "") return [];
  return [field === undefined ? { kind: "word", value, excludes } : { kind: "field", field, value, excludes }];
}

function matchesTerm(term: FilterTerm, session: Session): boolean {
  if (term.kind === "word") return wordsOf(session).some((text) => includes(text, term.value));
  return fieldMatchers[term.field](session, term.value);
}

const fieldMatchers = {
  status: (session, value) => statusesOf(value).includes(session.status.kind) || session.status.why === value,
  is: (session, value) =>
    Object.hasOwn(states, value)
      ? states[value as keyof typeof states](session)
      : statusesOf(value).includes(session.status.kind),
  sandbox: (session, value) => includes(session.sandbox ?? "", value),
  folder: (session, value) => includes(session.startCwd ?? "", value) || includes(session.cwd ?? "", value),
  title: (session, value) => includes(session.title, value),
  id: (session, value) => includes(session.id, value),
  tool: (session, value) => toolsOf(session).some((tool) => includes(tool, value)),
} as const satisfies Record<FilterField, (session: Session, value: string) => boolean>;

/** The kinds that begin so: `status:work` while `working` is being typed. */
function statusesOf(value: string): readonly string[] {
  return statusKinds.filter((kind) => kind.startsWith(value));
}

function wordsOf(session: Session): readonly string[] {
  return [
    session.title,
    session.id,
    session.cwd ?? "",
    session.startCwd ?? "",
    session.sandbox ?? "",
    statusWords(session.status, session.liveness),
    ...toolsOf(session),
  ];
}

function toolsOf(session: Session): readonly string[] {
  return [...session.openTurns, ...session.subagents.flatMap(({ openTurns }) => openTurns)].map(({ tool }) => tool);
}

/** @param value in lower case already */
function includes(text: string, value: string): boolean {
  return text.toLowerCase().includes(value);
}
