// What every adapter of sandboxes does: it lists them and says who each of them is; where there is a way in that
// changes nothing, it also carries a probe inside. It only asks: nothing is started, woken or resumed for it.
// docs/sandbox-adapters.md tells how to add one, test/support/sandboxes/adapterContract.ts what all of them must hold.
import type { Observation, SourceId } from "../../../protocol/observation.ts";
import type { ListedSandbox, SandboxListing } from "../../core/sandboxListing.ts";

export interface ProbeQuestion {
  readonly script: string;
  readonly nonce: string;
  readonly deadlineMs: number;
  readonly answerLimitBytes: number;
}

export type ProbeReply =
  | { readonly kind: "answered"; readonly text: string }
  /** It does not run any more, so that it was not asked. */
  | { readonly kind: "not-asked" }
  | { readonly kind: "refused"; readonly why: "no-answer" | "too-large" | "half" | "failed"; readonly says: string };

export interface SandboxAdapter {
  /** Its kind, by which a user switches it off. */
  readonly kind: string;
  /** Each end of it is a source of its own. */
  readonly source: SourceId;
  readonly periodMs: number;
  /** A list that takes longer is given up; the adapter ends by itself what it began for it. */
  readonly deadlineMs: number;
  /** Its list follows what is known of processes, and so is taken after them. */
  readonly needsProcesses?: boolean;
  /**
   * All sandboxes, or that there is nothing to ask (`absent`), or why nobody could tell: an answer that is not wholly
   * understood is none. Never throws.
   */
  list(): Promise<Observation<SandboxListing>>;
  /**
   * Runs a script in one that runs, and only then, with the nonce as its argument, without a terminal and without input.
   * Missing where there is no way in that changes nothing, such as one that starts what was stopped meanwhile. What came
   * back proves nothing yet: that is judged by `probe.ts`. Never throws.
   */
  probe?(sandbox: ListedSandbox, question: ProbeQuestion): Promise<ProbeReply>;
  /**
   * Tells at once that the list may have changed, where the adapter can hear of it; the list itself is asked for all the
   * same by its period. Returns how to end it.
   */
  follow?(onChange: () => void, onEnd: () => void): () => void;
  dispose(): void;
}
