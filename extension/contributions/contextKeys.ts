// The one place that sets context keys, each with the values that the manifest's `when` clauses know.
import { commands } from "vscode";
import type { Grouping } from "../core/arrangement.ts";
import type { Welcome } from "../core/welcomeModel.ts";

interface ContextKeys {
  readonly "rollcall.state": Welcome;
  readonly "rollcall.groupBy": Grouping;
  readonly "rollcall.filtered": boolean;
  readonly "rollcall.restorable": boolean;
}

export class ContextKeySetter {
  private readonly set = new Map<string, unknown>();

  /** Sends only what changed. */
  async update<Key extends keyof ContextKeys>(key: Key, value: ContextKeys[Key]): Promise<void> {
    if (this.set.get(key) === value) return;
    this.set.set(key, value);
    await commands.executeCommand("setContext", key, value);
  }
}
