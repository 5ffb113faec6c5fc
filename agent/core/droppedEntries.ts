// What a writer tells of a session that another writer dropped meets what was recorded of it: a blank takes nothing
// away there either.
import { unreachable } from "../../base/errors.ts";
import type { DroppedEntry } from "./journalState.ts";
import type { RegistryIntent } from "./registryChange.ts";
import { entryKey } from "./registryDifference.ts";
import { mergeEntry, toldEntry, type Occasion, type ToldEntry } from "./registryEntry.ts";

export function recalling(intent: RegistryIntent, dropped: ReadonlyMap<string, DroppedEntry>): RegistryIntent {
  if (dropped.size === 0) return intent;
  const recalled = (entry: ToldEntry, sandbox: string, occasion: Occasion): ToldEntry => {
    const former = dropped.get(entryKey({ sandbox, id: entry.fields.session_id }));
    return former === undefined ? entry : mergeEntry(toldEntry(former.members), entry, occasion);
  };
  switch (intent.kind) {
    case "put": {
      const { sandbox, at } = intent;
      return { ...intent, entry: recalled(intent.entry, sandbox, { kind: "start", at }) };
    }
    case "replace":
      return { ...intent, entries: intent.entries.map((entry) => recalled(entry, intent.sandbox, { kind: "seen" })) };
    case "forget":
    case "depart":
      return intent;
    default:
      return unreachable(intent);
  }
}
