// What a rule of a session's status is. The table of them is `statusRules.ts`.
import type { StatusKind, StatusWhy } from "../../protocol/roster.ts";
import type { Match } from "./ruleMatches.ts";
import type { StatusFacts } from "./statusFacts.ts";

export interface StatusRule {
  readonly name: string;
  readonly kind: StatusKind;
  readonly why?: StatusWhy;
  matches(facts: StatusFacts): Match | undefined;
  /** The counter-evidence in words, where there is some. */
  refutedBy(facts: StatusFacts, match: Match): string | undefined;
}
