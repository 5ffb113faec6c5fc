// A client that follows the agent's roster as the extension does, and resolves when the roster says something.
import { AgentClient } from "../../../protocol/node/agentClient.ts";
import type { Roster } from "../../../protocol/roster.ts";
import { applyRosterChange } from "../../../protocol/rosterChange.ts";

export class Follower {
  roster: Roster;
  private readonly client: AgentClient;
  private readonly waiting = new Set<() => void>();

  private constructor(client: AgentClient, roster: Roster) {
    this.client = client;
    this.roster = roster;
  }

  static async connect(socket: string, configDirs: readonly string[]): Promise<Follower> {
    const early: Parameters<typeof applyRosterChange>[1][] = [];
    let follower: Follower | undefined;
    const client = await AgentClient.connect(socket, { name: "test", version: "0", configDirs }, (change) => {
      if (follower === undefined) early.push(change);
      else follower.apply(change);
    });
    follower = new Follower(client, await client.request("roster/subscribe", {}));
    for (const change of early) follower.apply(change);
    return follower;
  }

  /**
   * As `waitFor`, with the limit that the product promises. A machine that runs this very process late runs the
   * agent late too: what it kept us waiting is added, so that the limit judges the agent and not the load.
   */
  async waitWithin(what: string, says: (roster: Roster) => boolean, limitMs: number): Promise<number> {
    const lag = new LagMeter();
    try {
      const ms = await this.waitFor(what, says, limitMs * 10);
      if (ms > limitMs + lag.worstMs * 5)
        throw new Error(`the roster said so only after ${Math.round(ms)} ms: ${what}`);
      return ms;
    } finally {
      lag.stop();
    }
  }

  /** Milliseconds from the call until the roster says so. */
  async waitFor(what: string, says: (roster: Roster) => boolean, deadlineMs: number): Promise<number> {
    const began = performance.now();
    if (says(this.roster)) return 0;
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!says(this.roster)) return;
        finish();
        resolve(performance.now() - began);
      };
      const timer = setTimeout(() => {
        finish();
        reject(
          new Error(
            `the roster did not say within ${deadlineMs} ms: ${what}; it says ${JSON.stringify(this.roster.sessions, null, 1)}`,
          ),
        );
      }, deadlineMs);
      const finish = (): void => {
        clearTimeout(timer);
        this.waiting.delete(look);
      };
      this.waiting.add(look);
    });
  }

  /** Hears each roster, this one first. */
  each(listener: (roster: Roster) => void): void {
    const look = (): void => listener(this.roster);
    look();
    this.waiting.add(look);
  }

  close(): void {
    this.client.dispose();
  }

  private apply(change: Parameters<typeof applyRosterChange>[1]): void {
    this.roster = applyRosterChange(this.roster, change);
    for (const look of [...this.waiting]) look();
  }
}

/** How late this process' own timers ran. */
class LagMeter {
  worstMs = 0;
  private last = performance.now();
  private readonly timer = setInterval(() => {
    const now = performance.now();
    this.worstMs = Math.max(this.worstMs, now - this.last - 20);
    this.last = now;
  }, 20);

  stop(): void {
    clearInterval(this.timer);
  }
}
