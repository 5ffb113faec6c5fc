// Asks the sandboxes of a list from inside, each when it is due and few at a time: a question of its own for each, with a
// nonce that is used once, and a verdict on what comes back. When one is due is `probePlan.ts`, what is believed
// `probe.ts`.
import type { Scheduler } from "../../../base/clock.ts";
import { describeError } from "../../../base/errors.ts";
import { limits } from "../../../base/limits.ts";
import type { HostFacts } from "../../core/monitor.ts";
import type { MonitorEvent } from "../../core/monitorEvent.ts";
import { judgeProbe, refused, type ProbeVerdict } from "../../core/probe.ts";
import type { ProbeMemory } from "../../core/probeMemory.ts";
import { isProbeDue } from "../../core/probePlan.ts";
import type { ListedSandbox } from "../../core/sandboxListing.ts";
import type { ProbeReply, SandboxAdapter } from "./adapter.ts";
import { probeScript } from "./probeScript.ts";

export interface ProbesOptions {
  readonly scheduler: Pick<Scheduler, "now">;
  readonly host: Pick<HostFacts, "namespace" | "bootId">;
  /** Different at each call. */
  readonly nonce: () => string;
  readonly memoryOf: (identity: string) => ProbeMemory | undefined;
  /** Whether this kernel shows every session that is known to live in it. */
  readonly isSeen: (sandbox: ListedSandbox) => boolean;
  readonly emit: (events: readonly MonitorEvent[]) => void;
}

type Probing = SandboxAdapter & Required<Pick<SandboxAdapter, "probe">>;

export class Probes {
  private readonly options: ProbesOptions;
  /** Of any adapter; each resolves by its deadline. */
  private readonly running = new Map<string, Promise<void>>();
  private readonly waiting: (() => void)[] = [];

  constructor(options: ProbesOptions) {
    this.options = options;
  }

  /** Resolves when those that are due, and those that were begun before, have answered or failed. */
  async ask(adapter: SandboxAdapter, sandboxes: readonly ListedSandbox[], wanted: boolean): Promise<void> {
    if (adapter.probe === undefined) return;
    const now = this.options.scheduler.now();
    for (const sandbox of sandboxes) {
      const { identity } = sandbox;
      if (this.running.has(identity)) continue;
      const occasion = { now, wanted, isSeen: this.options.isSeen(sandbox) };
      if (!isProbeDue(sandbox, this.options.memoryOf(identity), occasion)) continue;
      const run = this.askOne(adapter as Probing, sandbox).finally(() => this.running.delete(identity));
      this.running.set(identity, run);
    }
    await Promise.all(sandboxes.flatMap(({ identity }) => this.running.get(identity) ?? []));
  }

  private async askOne(adapter: Probing, sandbox: ListedSandbox): Promise<void> {
    if (this.running.size >= limits.probesAtOnce) await this.turn();
    const { scheduler, host } = this.options;
    const { identity, run, namespace } = sandbox;
    const nonce = this.options.nonce();
    const at = scheduler.now();
    let reply: ProbeReply;
    try {
      reply = await adapter.probe(sandbox, {
        script: probeScript,
        nonce,
        deadlineMs: limits.probeDeadlineMs,
        answerLimitBytes: limits.probeAnswerBytes,
      });
    } catch (error) {
      reply = { kind: "refused", why: "failed", says: describeError(error) };
    }
    this.waiting.shift()?.();
    if (reply.kind === "not-asked") return;
    const verdict: ProbeVerdict =
      reply.kind === "answered"
        ? judgeProbe(reply.text, { nonce, identity, namespace, host })
        : refused(reply.why, reply.says);
    this.options.emit([{ kind: "probe", outcome: { source: adapter.source, identity, run, at, verdict } }]);
  }

  private turn(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
