// How knowledge follows from observations. The one rule: an observation that failed never lowers what is known
// below `stale`; only a source that answered can say that there is nothing.
import type { EpochMs } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import type { Known, Observation } from "../../protocol/observation.ts";

export const neverKnown: Known<never> = { kind: "never" };

/**
 * What is known after `next`. Answers that come late, older than what is known, change nothing.
 * `absent` makes `never` into `none`; of something seen before it is an answer only if its owner says so
 * (`goneIsAnAnswer`), since a vanished share also looks absent.
 */
export function retain<T>(
  previous: Known<T>,
  next: Observation<T>,
  options?: { readonly goneIsAnAnswer: boolean },
): Known<T> {
  if (previous.kind !== "never" && next.at < previous.asOf) return previous;
  switch (next.kind) {
    case "observed":
      // An answer from before the source fell silent does not end the silence.
      if (previous.kind === "stale" && next.at < previous.since)
        return { ...previous, value: next.value, asOf: next.at };
      return { kind: "current", value: next.value, asOf: next.at };
    case "absent":
      if (previous.kind === "never" || previous.kind === "none" || options?.goneIsAnAnswer === true) {
        return { kind: "none", asOf: next.at };
      }
      return degrade(previous, next.at, "gone after having been seen");
    case "unobserved":
      return degrade(previous, next.at, next.cause);
    default:
      return unreachable(next);
  }
}

/** The value that is known, current or stale. */
export function valueOf<T>(known: Known<T>): T | undefined {
  switch (known.kind) {
    case "never":
    case "none":
      return undefined;
    case "current":
    case "stale":
      return known.value;
    default:
      return unreachable(known);
  }
}

/** What is known after a source fell silent. */
export function degrade<T>(previous: Known<T>, since: EpochMs, cause: string): Known<T> {
  switch (previous.kind) {
    case "never":
    case "none":
      return previous;
    case "current":
      return { kind: "stale", value: previous.value, asOf: previous.asOf, since, cause };
    case "stale":
      return since < previous.since ? previous : { ...previous, cause };
    default:
      return unreachable(previous);
  }
}
