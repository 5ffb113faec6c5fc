// Filters the tree while its text is typed. It needs no agent: what was last heard is filtered. Escape brings back
// the filter that was there before.
import { InputBoxValidationSeverity, window } from "vscode";
import type { CommandHandler } from "../contributions/commands.ts";
import { filterHint, type SessionFilter } from "../core/sessionFilter.ts";
import { filterWords } from "../core/treeMessage.ts";
import type { FilterCounts } from "../core/treeNode.ts";

export interface FilterOptions {
  readonly current: () => SessionFilter;
  readonly filterBy: (text: string) => void;
  /** Of the filter that was set last; undefined for none. */
  readonly counts: () => FilterCounts | undefined;
}

export function filter({ current, filterBy, counts }: FilterOptions): CommandHandler {
  return () =>
    new Promise((done) => {
      const before = current().text;
      const input = window.createInputBox();
      let accepted = false;
      const show = (): void => {
        const hint = filterHint(current());
        const told = counts();
        input.validationMessage =
          hint !== undefined
            ? { message: hint, severity: InputBoxValidationSeverity.Warning }
            : told === undefined
              ? undefined
              : { message: filterWords(told), severity: InputBoxValidationSeverity.Info };
      };
      input.title = "Filter Sessions";
      input.placeholder = "Words, or is:live, status:needs-you, sandbox:name, folder:name, tool:Bash, -word";
      input.prompt = "All terms have to match. Enter keeps the filter, an empty one shows everything.";
      input.value = before;
      input.onDidChangeValue((text) => {
        filterBy(text);
        show();
      });
      input.onDidAccept(() => {
        accepted = true;
        input.hide();
      });
      input.onDidHide(() => {
        if (!accepted) filterBy(before);
        input.dispose();
        done();
      });
      show();
      input.show();
    });
}

export function clearFilter({ filterBy }: Pick<FilterOptions, "filterBy">): CommandHandler {
  return () => {
    filterBy("");
    return Promise.resolve();
  };
}
