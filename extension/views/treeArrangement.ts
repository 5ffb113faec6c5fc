// How this window's tree is arranged. The grouping is a setting, so that it is found, kept and synced as others are,
// and is written where the user has set it already. The filter is of this window and this session only: a filter
// that outlived a restart would hide rows from somebody who forgot it.
import { ConfigurationTarget, type WorkspaceConfiguration } from "vscode";
import type { ContextKeySetter } from "../contributions/contextKeys.ts";
import { groupingFrom, type Arrangement, type Grouping } from "../core/arrangement.ts";
import { noFilter, parseFilter, type SessionFilter } from "../core/sessionFilter.ts";

export interface TreeArrangementOptions {
  /** Read anew each time, since a configuration is a copy. */
  readonly settings: () => Pick<WorkspaceConfiguration, "get" | "inspect" | "update">;
  readonly keys: ContextKeySetter;
  readonly homeDir: string;
  readonly onChange: () => void;
}

export class TreeArrangement {
  private readonly options: TreeArrangementOptions;
  private grouping: Grouping;
  private filter: SessionFilter = noFilter;

  constructor(options: TreeArrangementOptions) {
    this.options = options;
    this.grouping = groupingFrom(options.settings().get("groupBy"));
    this.tellKeys();
  }

  get current(): Arrangement {
    return { grouping: this.grouping, filter: this.filter, homeDir: this.options.homeDir };
  }

  /** After the setting changed, by whomever. */
  settingsChanged(): void {
    this.grouping = groupingFrom(this.options.settings().get("groupBy"));
    this.changed();
  }

  async groupBy(grouping: Grouping): Promise<void> {
    const settings = this.options.settings();
    const inWorkspace = settings.inspect("groupBy")?.workspaceValue !== undefined;
    await settings.update(
      "groupBy",
      grouping,
      inWorkspace ? ConfigurationTarget.Workspace : ConfigurationTarget.Global,
    );
  }

  filterBy(text: string): void {
    this.filter = parseFilter(text);
    this.changed();
  }

  private changed(): void {
    this.tellKeys();
    this.options.onChange();
  }

  private tellKeys(): void {
    void this.options.keys.update("rollcall.groupBy", this.grouping);
    void this.options.keys.update("rollcall.filtered", this.filter.terms.length > 0);
  }
}
