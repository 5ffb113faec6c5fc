// How the tree is arranged: by what its rows are grouped, and which of them are shown. Where the choice is kept is
// the view's business.
import { noFilter, type SessionFilter } from "./sessionFilter.ts";

export const groupings = ["sandbox", "project", "attention", "none"] as const;
export type Grouping = (typeof groupings)[number];

export interface Arrangement {
  readonly grouping: Grouping;
  readonly filter: SessionFilter;
  /** Shown as `~` in paths; undefined shows them whole. */
  readonly homeDir: string | undefined;
}

export const defaultGrouping: Grouping = "sandbox";

export const defaultArrangement: Arrangement = { grouping: defaultGrouping, filter: noFilter, homeDir: undefined };

/** The words of menus and of the picker. */
export const groupingWords = {
  sandbox: { label: "Sandbox", detail: "This host and each sandbox, also those without sessions" },
  project: { label: "Project", detail: "The folder in which a session began" },
  attention: { label: "Attention", detail: "What needs you first, then what failed, works, waits and rests" },
  none: { label: "No Grouping", detail: "One list, what needs you first" },
} as const satisfies Record<Grouping, { readonly label: string; readonly detail: string }>;

/** @param value a setting as the user wrote it; what is no grouping counts as none chosen */
export function groupingFrom(value: unknown): Grouping {
  return groupings.find((grouping) => grouping === value) ?? defaultGrouping;
}
