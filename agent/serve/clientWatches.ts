// The sessions that one client watches closely: a bounded number, each once, let go of when the client leaves.
import type { Disposable } from "../../base/disposable.ts";
import { rollcallError, type RollcallError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import type { SessionDetail } from "../../protocol/sessionDetail.ts";
import type { SessionDetails } from "../sessionDetails.ts";
import type { ClientContext } from "./agentServer.ts";

export type WatchErrorKind = "too-many-watched" | "watch-given-up";
export type WatchError = RollcallError<WatchErrorKind>;

export class ClientWatches {
  private readonly client: Pick<ClientContext, "tell" | "onClose">;
  private readonly details: Pick<SessionDetails, "watch">;
  private readonly watches = new Map<string, Disposable>();
  private closed = false;

  constructor(client: Pick<ClientContext, "tell" | "onClose">, details: Pick<SessionDetails, "watch">) {
    this.client = client;
    this.details = details;
    client.onClose(() => this.dispose());
  }

  /** @throws WatchError or SessionDetailError */
  async watch(key: string): Promise<SessionDetail> {
    this.unwatch(key);
    if (this.watches.size >= limits.watchedSessionsPerClient) {
      throw rollcallError<WatchErrorKind>(
        "too-many-watched",
        `${limits.watchedSessionsPerClient} sessions are watched by this window already; close a detail page`,
      );
    }
    const opening: Disposable = { dispose: () => undefined };
    this.watches.set(key, opening);
    let watch;
    try {
      watch = await this.details.watch(key, (change) => this.client.tell(change));
    } catch (error) {
      if (this.watches.get(key) === opening) this.watches.delete(key);
      throw error;
    }
    if (this.closed || this.watches.get(key) !== opening) {
      watch.dispose();
      throw rollcallError<WatchErrorKind>("watch-given-up", `session ${key} is watched no more`);
    }
    this.watches.set(key, watch);
    return watch.detail;
  }

  unwatch(key: string): void {
    this.watches.get(key)?.dispose();
    this.watches.delete(key);
  }

  private dispose(): void {
    this.closed = true;
    for (const key of [...this.watches.keys()]) this.unwatch(key);
  }
}
