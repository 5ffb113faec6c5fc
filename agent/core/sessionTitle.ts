// What a session is called: by its person's own words before the agent's, and those before what can be derived. A name
// given by a person stands in the session's record at once, and in its transcript soon after.
import type { PidRecord } from "../../protocol/files/pidRecord.ts";
import type { NameSource } from "../../protocol/files/registry.ts";
import type { RegistryEntry } from "../../protocol/files/registryEntrySchema.ts";
import { shortText } from "./shortText.ts";
import type { TranscriptTitles } from "./transcript.ts";

export interface TitleSources {
  readonly id: string;
  readonly titles: TranscriptTitles | undefined;
  /** The session's record, where it is its own. */
  readonly record: PidRecord | undefined;
  /** What the registry keeps of it. */
  readonly stored: Pick<RegistryEntry, "name" | "name_source"> | undefined;
  readonly cwd: string | null;
}

export function sessionTitle({ id, titles, record, stored, cwd }: TitleSources): string {
  const recordName = shortText(record?.name);
  const storedName = shortText(stored?.name);
  const storedBy = (source: NameSource | undefined): string | undefined =>
    stored?.name_source === source ? storedName : undefined;
  const folder = cwd?.split(/[\\/]/).at(-1);
  return (
    (record?.nameSource === "user" ? recordName : undefined) ??
    titles?.custom ??
    storedBy("user") ??
    titles?.agent ??
    storedBy("agent") ??
    storedBy(undefined) ??
    titles?.prompt ??
    recordName ??
    storedName ??
    shortText(folder) ??
    id.slice(0, 8)
  );
}
