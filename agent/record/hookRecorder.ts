// Writes into the registry what sessions told by their hooks, as any other writer: through the store, one act after the
// other. What has to be written is `core/hookActs.ts`; an act that fails is told in the log, and the store keeps what it
// can carry out later.
import { describeError } from "../../base/errors.ts";
import type { Log } from "../../base/node/log.ts";
import type { AgentParams } from "../../protocol/agentApi.ts";
import type { HookAct } from "../core/hookActs.ts";

export interface HookRecorderOptions {
  readonly acts: () => readonly HookAct[];
  readonly writer: {
    readonly put: (params: AgentParams<"registry/put">) => Promise<unknown>;
    readonly forget: (params: AgentParams<"registry/forget">) => Promise<unknown>;
    readonly depart: (params: AgentParams<"registry/depart">) => Promise<unknown>;
  };
  /** After something was written. */
  readonly look: () => Promise<void>;
  readonly log: Log;
}

const remembered = 1_000;

export class HookRecorder {
  private readonly options: HookRecorderOptions;
  /** Acts that were tried, so that one that cannot be is not tried for ever. */
  private readonly tried = new Set<string>();
  private running: Promise<void> | undefined;

  constructor(options: HookRecorderOptions) {
    this.options = options;
  }

  /** Something may have to be written. */
  note(): void {
    this.running ??= this.run().finally(() => {
      this.running = undefined;
    });
  }

  private async run(): Promise<void> {
    const due = this.options.acts().filter((act) => !this.tried.has(keyOf(act)));
    for (const act of due) await this.carryOut(act);
    if (due.length > 0) await this.options.look();
  }

  private async carryOut(act: HookAct): Promise<void> {
    const { writer, log } = this.options;
    const { session, sandbox } = act;
    this.remember(keyOf(act));
    try {
      switch (act.kind) {
        case "forget":
          await writer.forget({ session, sandbox });
          break;
        case "depart":
          await writer.depart({ session, sandbox });
          break;
        case "lift":
          await writer.put({ session, sandbox });
          break;
      }
      log.info(`${session} of ${sandbox}: ${act.kind}, as its hooks told`);
    } catch (error) {
      log.warn(`${session} of ${sandbox}: ${act.kind} failed: ${describeError(error)}`, error);
    }
  }

  private remember(key: string): void {
    this.tried.add(key);
    for (const oldest of this.tried) {
      if (this.tried.size <= remembered) break;
      this.tried.delete(oldest);
    }
  }
}

function keyOf({ kind, session, sandbox, at }: HookAct): string {
  return JSON.stringify([kind, session, sandbox, at]);
}
