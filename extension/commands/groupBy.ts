// Groups the tree by what the user picks, or by what the menu's entry says. It needs no agent: while that is away the
// rows last heard of are grouped anew.
import { window, type QuickPickItem } from "vscode";
import type { CommandHandler } from "../contributions/commands.ts";
import { groupings, groupingWords, type Grouping } from "../core/arrangement.ts";

export interface GroupByOptions {
  readonly current: () => Grouping;
  readonly groupBy: (grouping: Grouping) => Promise<void>;
}

interface GroupingPick extends QuickPickItem {
  readonly grouping: Grouping;
}

export function groupBy({ current, groupBy: choose }: GroupByOptions): CommandHandler {
  return async () => {
    const picks = groupings.map((grouping): GroupingPick => {
      const { label, detail } = groupingWords[grouping];
      return { grouping, label, detail, ...(grouping === current() ? { description: "current" } : {}) };
    });
    // The first one is the one that Enter takes.
    picks.sort((a, b) => Number(b.grouping === current()) - Number(a.grouping === current()));
    const picked = await window.showQuickPick(picks, { title: "Group Sessions By", placeHolder: "Choose a grouping" });
    if (picked !== undefined) await choose(picked.grouping);
  };
}

export function groupByOne(grouping: Grouping, { groupBy: choose }: Pick<GroupByOptions, "groupBy">): CommandHandler {
  return () => choose(grouping);
}
