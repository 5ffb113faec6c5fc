// Carries out the writes that wait, whenever the registry was read whole: then it can be written too, as far as anybody
// knows. One that fails again is tried less and less often. What is carried out, and how, is `registryStore.ts`.
import type { Scheduler } from "../../base/clock.ts";
import { describeError } from "../../base/errors.ts";
import type { Log } from "../../base/node/log.ts";
import { intentWords, type SettledIntent } from "../core/keptIntents.ts";
import type { RegistryStore } from "./registryStore.ts";

const retryMs = { least: 1_000, most: 60_000 } as const;

export interface IntentReplaysOptions {
  readonly store: Pick<RegistryStore, "applyKept" | "journal">;
  readonly scheduler: Pick<Scheduler, "now">;
  readonly log: Log;
}

export class IntentReplays {
  private readonly options: IntentReplaysOptions;
  private running = false;
  private waitMs = 0;
  private notBefore = 0;

  constructor(options: IntentReplaysOptions) {
    this.options = options;
    options.store.journal.wholeReads.on(() => void this.tryNow());
  }

  /** Never throws. */
  private async tryNow(): Promise<void> {
    const { store, scheduler, log } = this.options;
    const { intents } = store.journal.state;
    if (intents.length === 0 || this.running || scheduler.now() < this.notBefore) return;
    this.running = true;
    try {
      for (const settled of await store.applyKept()) log.info(settledWords(settled, intents));
      this.waitMs = 0;
    } catch (error) {
      this.waitMs = Math.min(retryMs.most, Math.max(retryMs.least, this.waitMs * 2));
      log.warn(`${intents.length} kept writes of the registry wait on: ${describeError(error)}`, error);
    } finally {
      this.notBefore = scheduler.now() + this.waitMs;
      this.running = false;
    }
  }
}

function settledWords({ n, how, says }: SettledIntent, intents: readonly SettledIntent["intent"][]): string {
  const kept = intents.find((each) => each?.n === n);
  const what = kept === undefined ? "" : ` (${intentWords(kept.intent)})`;
  return `intent #${n}${what}: ${how}${says === "" ? "" : `, ${says}`}`;
}
