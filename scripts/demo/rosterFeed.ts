// The demo's own look at the roster: a client of the agent like any window. Where the agent goes it is started again.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describeError } from "../../base/errors.ts";
import { rollcallPaths } from "../../base/node/paths.ts";
import { connectOrLaunch } from "../../protocol/node/agentLauncher.ts";
import type { Roster, RosterChange } from "../../protocol/roster.ts";
import { applyRosterChange } from "../../protocol/rosterChange.ts";
import type { DemoFolder } from "./demoFolder.ts";

const agentScript = join(import.meta.dirname, "..", "..", "dist", "agent.cjs");
const againAfterMs = 1_000;

export interface FeedOptions {
  readonly folder: DemoFolder;
  readonly env: Readonly<Record<string, string>>;
  readonly onRoster: (roster: Roster) => void;
  readonly onTrouble: (why: string) => void;
}

/** Follows until it is told to stop. */
export class RosterFeed {
  private readonly options: FeedOptions;
  private readonly stopping = new AbortController();
  private readonly done: Promise<void>;

  constructor(options: FeedOptions) {
    this.options = options;
    this.done = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.done;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      try {
        await follow(this.options, signal);
        if (signal.aborted) return;
      } catch (error) {
        if (signal.aborted) return;
        this.options.onTrouble(describeError(error));
      }
      await delay(againAfterMs);
    }
  }
}

async function follow({ folder, env, onRoster }: FeedOptions, signal: AbortSignal): Promise<void> {
  let roster: Roster | undefined;
  const early: RosterChange[] = [];
  const agent = await connectOrLaunch({
    paths: rollcallPaths(env),
    agentScript,
    identity: { name: "demo", version: "0", configDirs: [folder.configDir] },
    onChange: (change) => {
      if (roster === undefined) early.push(change);
      else onRoster((roster = applyRosterChange(roster, change)));
    },
    env,
  });
  const stop = (): void => agent.dispose();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const closed = new Promise<void>((resolve) => agent.onClose(resolve));
    roster = early.reduce(applyRosterChange, await agent.request("roster/subscribe", {}));
    onRoster(roster);
    await closed;
  } finally {
    signal.removeEventListener("abort", stop);
    agent.dispose();
  }
}
