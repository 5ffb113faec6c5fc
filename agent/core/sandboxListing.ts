// What an adapter says of its sandboxes: each with its exact identity, which no other has and which it keeps for life,
// and the name that people know it by. How a list changes what is known is `foldSandboxes.ts`; what is shown of it
// `sandboxes.ts`.
import type { EpochMs } from "../../base/clock.ts";
import type { Cause, SourceId } from "../../protocol/observation.ts";
import type { Sandbox } from "../../protocol/roster.ts";

export type SandboxState = Sandbox["state"];

export interface ListedSandbox {
  /** Such as a container's whole id; never a name, and never a part of it. */
  readonly identity: string;
  readonly name: string;
  /** The kind of sandbox, as the roster shows it. */
  readonly adapter: string;
  readonly state: SandboxState;
  /** What it is, in words that do not change while it stays the same. */
  readonly says: string;
  /** How people call it, where that is not its name. */
  readonly title?: string | undefined;
  /** Nobody named it: its name is made of its namespace. */
  readonly derived?: boolean | undefined;
  /** Its pid namespace as this host's kernel numbers it; missing where that is not proven. */
  readonly namespace?: string | undefined;
  /** Changes with every start of it. */
  readonly run?: string | undefined;
}

export interface SandboxListing {
  readonly sandboxes: readonly ListedSandbox[];
  /** What the list held and could not be taken for a sandbox, by why. */
  readonly skipped: ReadonlyMap<string, number>;
}

/** A sandbox that its adapter lists no more: what ran in it is still called by its name. */
export interface GoneSandbox {
  readonly sandbox: ListedSandbox;
  readonly source: SourceId;
  readonly goneAt: EpochMs;
}

/** When a list was taken, and since when it cannot be taken again. */
export interface ListAge {
  readonly source: SourceId;
  readonly asOf: EpochMs;
  readonly stale: { readonly since: EpochMs; readonly cause: Cause } | undefined;
}
