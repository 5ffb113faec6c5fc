// An end of an adapter that cannot be asked from here, such as an engine on another host: it says so and why, since
// saying nothing would read as having nothing.
import { periods } from "../../../base/limits.ts";
import { unobserved, type Observation, type SourceId } from "../../../protocol/observation.ts";
import type { SandboxListing } from "../../core/sandboxListing.ts";
import type { SandboxAdapter } from "./adapter.ts";
import type { UnreachableEnd } from "./engineEnds.ts";

export class UnreachableAdapter implements SandboxAdapter {
  readonly kind: UnreachableEnd["kind"];
  readonly source: SourceId;
  readonly periodMs = periods.sandboxListMs.other;
  readonly deadlineMs = periods.sandboxListMs.other;
  private readonly cause: string;
  private readonly now: () => number;

  constructor({ kind, source, cause }: UnreachableEnd, now: () => number) {
    this.kind = kind;
    this.source = source;
    this.cause = cause;
    this.now = now;
  }

  list(): Promise<Observation<SandboxListing>> {
    return Promise.resolve(unobserved(this.source, this.now(), this.cause));
  }

  dispose(): void {
    return undefined;
  }
}
