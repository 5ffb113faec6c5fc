// What a program that lists processes said, before anybody judged whether it is a whole table.

/** One process as a table tells it. */
export interface RawRow {
  readonly pid: number;
  readonly ppid?: number | undefined;
  readonly name: string;
  readonly cmd?: string | undefined;
  readonly path?: string | undefined;
  readonly startedAt?: number | null | undefined;
}

export type TableRows =
  { readonly kind: "rows"; readonly rows: readonly RawRow[] } | { readonly kind: "no-answer"; readonly cause: string };
