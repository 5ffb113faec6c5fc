// What the settings of a config folder say of our hooks. What follows from it is `hookSilence.ts`.
import type { EpochMs } from "../../base/clock.ts";

/** Of our hooks in one config folder's settings. */
export interface HookSetupFacts {
  /** The folders that they write to; none where there are no hooks of ours. */
  readonly spools: readonly string[];
  /** The setting that switches them off. */
  readonly isOff: string | undefined;
  /** When the settings were last changed. */
  readonly since: EpochMs;
}
