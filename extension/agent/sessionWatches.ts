// Watches single sessions at the agent for the pages that show them, and again at each agent that comes after it. A
// page that nobody sees watches nothing.
import type { Disposable } from "../../base/disposable.ts";
import { describeError } from "../../base/errors.ts";
import type { SessionDetail } from "../../protocol/sessionDetail.ts";
import type { SessionDetailChange } from "../../protocol/sessionDetailChange.ts";
import type { Agent } from "./connection.ts";

export interface WatchSink {
  detail(detail: SessionDetail): void;
  /** Follows a detail. */
  changed(change: SessionDetailChange): void;
  /** The agent cannot or will not tell; in words for people. */
  refused(why: string): void;
}

export interface SessionWatchesOptions {
  readonly onAgent: (listener: (agent: Agent | undefined) => void) => Disposable;
  readonly log: { debug(message: string): void };
}

interface Watch {
  readonly key: string;
  readonly sink: WatchSink;
  /** The agent that has told this watch's detail. */
  toldBy: Agent | undefined;
}

export class SessionWatches implements Disposable {
  private readonly options: SessionWatchesOptions;
  private readonly watches = new Set<Watch>();
  private readonly hears: Disposable;
  private agent: Agent | undefined;

  constructor(options: SessionWatchesOptions) {
    this.options = options;
    this.hears = options.onAgent((agent) => this.agentIs(agent));
  }

  watch(key: string, sink: WatchSink): Disposable {
    const watch: Watch = { key, sink, toldBy: undefined };
    this.watches.add(watch);
    void this.ask(watch);
    return {
      dispose: () => {
        this.watches.delete(watch);
        const others = [...this.watches].some((other) => other.key === key);
        if (!others) this.unwatch(key);
      },
    };
  }

  dispose(): void {
    this.hears.dispose();
    this.watches.clear();
  }

  private agentIs(agent: Agent | undefined): void {
    this.agent = agent;
    agent?.onSessionChange((change) => {
      for (const watch of this.watches)
        if (watch.key === change.key && watch.toldBy === agent) watch.sink.changed(change);
    });
    for (const watch of this.watches) void this.ask(watch);
  }

  private async ask(watch: Watch): Promise<void> {
    const { agent } = this;
    if (agent === undefined) return;
    const isCurrent = (): boolean => this.agent === agent && this.watches.has(watch);
    try {
      const detail = await agent.request("session/watch", { key: watch.key });
      if (!isCurrent()) return;
      watch.toldBy = agent;
      watch.sink.detail(detail);
    } catch (error) {
      if (isCurrent()) watch.sink.refused(describeError(error));
    }
  }

  private unwatch(key: string): void {
    // An agent that is gone watches nothing.
    this.agent
      ?.request("session/unwatch", { key })
      .catch((error: unknown) => this.options.log.debug(`unwatch: ${describeError(error)}`));
  }
}
