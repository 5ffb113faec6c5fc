// An adapter over a list in memory: what the contract asks of every adapter can be met without any tool.
import type { ProbeQuestion, ProbeReply, SandboxAdapter } from "../../../agent/observe/sandboxes/adapter.ts";
import type { ListedSandbox, SandboxListing } from "../../../agent/core/sandboxListing.ts";
import { absent, observed, unobserved, type Observation, type SourceId } from "../../../protocol/observation.ts";

export class SimulatedAdapter implements SandboxAdapter {
  readonly kind = "simulated";
  readonly source: SourceId = "sandboxes:simulated";
  readonly periodMs = 1_000;
  readonly deadlineMs = 1_000;
  mood: "answers" | "silent" | "missing" = "answers";
  sandboxes: readonly ListedSandbox[] = [
    { identity: "sim:1", name: "one", adapter: "simulated", state: "running", says: "simulated" },
  ];

  list(): Promise<Observation<SandboxListing>> {
    if (this.mood === "missing") return Promise.resolve(absent(this.source, 1));
    if (this.mood === "silent") return Promise.resolve(unobserved(this.source, 1, "it does not answer"));
    return Promise.resolve(observed(this.source, 1, { sandboxes: this.sandboxes, skipped: new Map() }));
  }

  /** Understands the contract's own questions. */
  probe(
    { identity }: ListedSandbox,
    { script, nonce, deadlineMs, answerLimitBytes }: ProbeQuestion,
  ): Promise<ProbeReply> {
    const state = this.sandboxes.find((each) => each.identity === identity)?.state;
    if (state !== "running") return Promise.resolve({ kind: "not-asked" });
    if (script.startsWith("sleep"))
      return Promise.resolve({ kind: "refused", why: "no-answer", says: `not within ${deadlineMs} ms` });
    if (script.startsWith("while"))
      return Promise.resolve({ kind: "refused", why: "too-large", says: `more than ${answerLimitBytes} bytes` });
    return Promise.resolve({ kind: "answered", text: script.startsWith("cat") ? "over\n" : `${nonce}\n` });
  }

  dispose(): void {
    this.sandboxes = [];
  }
}
