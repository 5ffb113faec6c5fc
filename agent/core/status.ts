// A session's status: the first rule of the table that matches and is not refuted. What was refuted on the way is told
// with its counter-evidence. The rules are `statusRules.ts`.
import type { EpochMs } from "../../base/clock.ts";
import type { StatusKind, StatusWhy } from "../../protocol/roster.ts";
import { missingFacts } from "./ruleMatches.ts";
import type { StatusFacts } from "./statusFacts.ts";
import type { StatusRule } from "./statusRule.ts";
import { statusRules } from "./statusRules.ts";

export interface StatusVerdict {
  readonly kind: StatusKind;
  readonly why?: StatusWhy;
  readonly rule: string;
  readonly since?: EpochMs;
  readonly until?: EpochMs;
  /** Rules that matched and were refuted, with the counter-evidence. */
  readonly refuted: readonly { readonly rule: string; readonly by: string }[];
  /** What the deciding rule rests on, in words. */
  readonly says: string;
}

/** The first rule that matches and is not refuted; the last one always does. */
export function decideStatus(facts: StatusFacts, rules: readonly StatusRule[] = statusRules): StatusVerdict {
  const refuted: { rule: string; by: string }[] = [];
  for (const rule of rules) {
    const match = rule.matches(facts);
    if (match === undefined) continue;
    const by = rule.refutedBy(facts, match);
    if (by !== undefined) {
      refuted.push({ rule: rule.name, by });
      continue;
    }
    const why = match.why ?? rule.why;
    return {
      kind: rule.kind,
      rule: rule.name,
      says: match.says,
      refuted,
      ...(why === undefined ? {} : { why }),
      ...(match.since === undefined ? {} : { since: match.since }),
      ...(match.until === undefined ? {} : { until: match.until }),
    };
  }
  return { kind: "unknown", rule: "nothing-can-tell", says: missingFacts(facts), refuted };
}
