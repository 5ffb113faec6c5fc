// The line above the tree: what makes it show less, or older things, than there are. A filter never hides silently
// what needs its person.
import type { EpochMs } from "../../base/clock.ts";
import type { SessionFilter } from "./sessionFilter.ts";
import { staleMessage } from "./statusBarModel.ts";
import type { RosterState } from "./rosterState.ts";
import type { FilterCounts, TreeModel } from "./treeNode.ts";

/** Empty where there is nothing to say. */
export function treeMessage(state: RosterState, model: TreeModel, filter: SessionFilter, now: EpochMs): string {
  const filtered = model.filtered === undefined ? [] : [`Filter “${filter.text}”: ${filterWords(model.filtered)}.`];
  return [...filtered, staleMessage(state, now) ?? ""].filter((part) => part !== "").join(" ");
}

/** "3 of 41 shown, 1 of the hidden needs you". */
export function filterWords({ shown, total, hiddenNeedsYou }: FilterCounts): string {
  const words = `${shown} of ${total} shown`;
  if (hiddenNeedsYou === 0) return words;
  return `${words}, ${hiddenNeedsYou} of the hidden ${hiddenNeedsYou === 1 ? "needs" : "need"} you`;
}
