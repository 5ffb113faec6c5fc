// What is asked before a restore, and what is said after it: one sentence for all of it, and a line for each session.
import { amount } from "../../base/amount.ts";
import type { RestoreItem, RestoreRefusal, Resume } from "../../protocol/restore.ts";

/** What became of a session that was to be resumed. */
export type RestoreResult =
  | { readonly kind: "live" }
  /** Its terminal is there, and no source has seen it live so far. */
  | { readonly kind: "unseen"; readonly waitedMs: number }
  | { readonly kind: "ended"; readonly exitCode: number | undefined }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly cause: string }
  | RestoreRefusal;

export interface RestoredSession {
  readonly item: RestoreItem;
  readonly result: RestoreResult;
}

export type ResumeItem = RestoreItem & { readonly outcome: Resume };

export function resumesOf(items: readonly RestoreItem[]): readonly ResumeItem[] {
  return items.filter((item): item is ResumeItem => item.outcome.kind === "resume");
}

export function refusalsOf(items: readonly RestoreItem[]): readonly RestoredSession[] {
  return items.flatMap((item) => (item.outcome.kind === "refused" ? [{ item, result: item.outcome }] : []));
}

/** Undefined where nothing has to be asked: one session, as it was. */
export function restoreQuestion(
  items: readonly RestoreItem[],
): { readonly question: string; readonly detail: string } | undefined {
  const resumes = resumesOf(items);
  const refused = refusalsOf(items);
  const notes = [...new Set(resumes.flatMap(({ outcome }) => outcome.notes))];
  const [only] = resumes;
  if (only === undefined || (resumes.length === 1 && notes.length === 0)) return undefined;
  const named = resumes.slice(0, namedAtMost).map(({ title }) => `• ${title}`);
  const more = resumes.length - named.length;
  return {
    question: resumes.length === 1 ? `Restore "${only.title}"?` : `Restore ${resumes.length} sessions?`,
    detail: [
      ...(resumes.length === 1 ? [] : [`${named.join("\n")}${more > 0 ? `\n• and ${more} more` : ""}`]),
      ...notes.slice(0, namedAtMost).map(sentence),
      ...(refused.length === 0
        ? []
        : [`${amount(refused.length, "other")} cannot be restored now; the reasons follow.`]),
      "Each gets a terminal of its own.",
    ].join("\n\n"),
  };
}

const namedAtMost = 10;

export interface RestoreSummary {
  readonly severity: "info" | "warning";
  readonly message: string;
  /** One for each session. */
  readonly lines: readonly string[];
}

export function restoreSummary(results: readonly RestoredSession[]): RestoreSummary {
  const lines = results.map(({ item, result }) => `${nameOf(item)}: ${resultWords(result)}`);
  const [only] = results;
  if (only === undefined) return { severity: "info", message: "Nothing is recorded that could be restored.", lines };
  const count = (wanted: (result: RestoreResult) => boolean): number =>
    results.filter(({ result }) => wanted(result)).length;
  const isSettled = (result: RestoreResult): boolean => result.kind === "refused" && result.settled;
  const parts = [
    [count(({ kind }) => kind === "live"), "restored"],
    [count(({ kind }) => kind === "unseen"), "started and not seen live yet"],
    [count(isSettled), "with nothing to restore"],
    [count(({ kind }) => kind === "cancelled"), "not begun"],
    [count((result) => result.kind === "refused" && !result.settled), "refused"],
    [count(({ kind }) => kind === "ended" || kind === "failed"), "failed"],
  ] as const;
  const said = parts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
  const isFine = results.every(({ result }) => result.kind === "live" || isSettled(result));
  return {
    severity: isFine ? "info" : "warning",
    message:
      results.length === 1 ? `${nameOf(only.item)}: ${resultWords(only.result)}.` : `Sessions: ${said.join(", ")}.`,
    lines,
  };
}

function resultWords(result: RestoreResult): string {
  switch (result.kind) {
    case "live":
      return "restored, and lives";
    case "unseen":
      return `its terminal is open; it was not seen live within ${Math.round(result.waitedMs / 1_000)} s`;
    case "ended":
      return `its terminal ended${result.exitCode === undefined ? "" : ` with exit code ${result.exitCode}`} before it was seen live; run it by hand to read why`;
    case "cancelled":
      return "not begun, since the restore was cancelled";
    case "failed":
      return result.cause;
    case "refused":
      return `${result.says}; ${result.next}`;
  }
}

function nameOf({ title, sandbox }: RestoreItem): string {
  return `"${title}"${sandbox === null ? "" : ` in ${sandbox}`}`;
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
