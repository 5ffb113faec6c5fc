// The law of the product as types: what a source answered, and what is known from its answers. A source
// that did not answer is `unobserved`, never an empty value. How knowledge follows from observations is
// `retain`, in agent/core.
import type { EpochMs } from "../base/clock.ts";

/** Why a source did not answer, in words for people and for `why`. */
export type Cause = string;

/** Names a source; the literals are part of the JSON contract. */
export type SourceId =
  | "process-table"
  | "proc"
  | "registry"
  | `registry:${string}`
  | "snapshot"
  | "hooks"
  | `pid-records:${string}`
  | `transcripts:${string}`
  | `sandboxes:${string}`;

export type Observation<T> =
  | { readonly kind: "observed"; readonly value: T; readonly at: EpochMs; readonly source: SourceId }
  | { readonly kind: "absent"; readonly at: EpochMs; readonly source: SourceId }
  | { readonly kind: "unobserved"; readonly at: EpochMs; readonly source: SourceId; readonly cause: Cause };

export type Known<T> =
  | { readonly kind: "never" }
  | { readonly kind: "none"; readonly asOf: EpochMs }
  | { readonly kind: "current"; readonly value: T; readonly asOf: EpochMs }
  | {
      readonly kind: "stale";
      readonly value: T;
      readonly asOf: EpochMs;
      readonly since: EpochMs;
      readonly cause: Cause;
    };

export function observed<T>(source: SourceId, at: EpochMs, value: T): Observation<T> {
  return { kind: "observed", value, at, source };
}

export function absent<T>(source: SourceId, at: EpochMs): Observation<T> {
  return { kind: "absent", at, source };
}

export function unobserved<T>(source: SourceId, at: EpochMs, cause: Cause): Observation<T> {
  return { kind: "unobserved", at, source, cause };
}
