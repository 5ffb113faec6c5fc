// The IO around the roster's state machine: it connects to the agent, which is started where none runs, hears
// changes, checks that the agent still answers, and comes back by itself after it was lost. What the state means
// is decided in core; how a connection is made is passed in.
import { backoffDelayMs, type Backoff } from "../../base/backoff.ts";
import type { EpochMs, Scheduler, Timer } from "../../base/clock.ts";
import type { Disposable } from "../../base/disposable.ts";
import { Emitter } from "../../base/emitter.ts";
import { describeError, rollcallError, type RollcallError } from "../../base/errors.ts";
import type { AgentMethod, AgentParams, AgentResult } from "../../protocol/agentApi.ts";
import type { AgentClient } from "../../protocol/node/agentClient.ts";
import type { Roster, RosterChange } from "../../protocol/roster.ts";
import {
  initialState,
  reduceRoster,
  type LastRoster,
  type RosterEvent,
  type RosterState,
} from "../core/rosterState.ts";

export type Agent = Pick<AgentClient, "request" | "onClose" | "onSessionChange" | "dispose">;

export interface ConnectionOptions {
  /** Connects, or starts an agent and connects. */
  readonly connect: (configDirs: readonly string[], onChange: (change: RosterChange) => void) => Promise<Agent>;
  /** Read anew for each connection, since settings change. */
  readonly configDirs: () => readonly string[];
  readonly last: LastRoster | undefined;
  readonly scheduler: Scheduler;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: { info(message: string): void; warn(message: string): void };
}

export type ConnectionErrorKind = "agent-gone";

export const heartbeatMs = 10_000;
export const heartbeatDeadlineMs = 5_000;
const refreshDeadlineMs = 30_000;
const reconnectBackoff: Backoff = { firstMs: 300, ceilingMs: 30_000 };
/** A connection that held for so long begins its next wait short again. */
const stableMs = 10_000;

export class AgentConnection implements Disposable {
  private readonly options: ConnectionOptions;
  private readonly changes: Emitter<RosterState>;
  private readonly agents: Emitter<Agent | undefined>;
  private current: RosterState;
  private agent: Agent | undefined;
  private timer: Timer | undefined;
  private attempts = 0;
  /** Counts attempts; answers to an earlier one are late and count for nothing. */
  private generation = 0;
  private disposed = false;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.current = initialState(options.scheduler.now(), options.last);
    const onFault = (error: unknown): void => options.log.warn(`a view failed: ${describeError(error)}`);
    this.changes = new Emitter(onFault);
    this.agents = new Emitter(onFault);
  }

  get state(): RosterState {
    return this.current;
  }

  onState(listener: (state: RosterState) => void): Disposable {
    return this.changes.on(listener);
  }

  /** Hears of each agent that this window is connected to, now and later; of undefined when it is lost. */
  onAgent(listener: (agent: Agent | undefined) => void): Disposable {
    if (this.agent !== undefined) listener(this.agent);
    return this.agents.on(listener);
  }

  /** Connects at once, whatever wait was under way; an open connection is given up for a new one. */
  reconnect(): Promise<void> {
    this.letGo();
    this.attempts = 0;
    return this.attempt();
  }

  /**
   * Has the agent look at every source now; while it is gone, tries to bring it back.
   * @throws RpcError, or a ConnectionError that says why the agent cannot be reached
   */
  async refresh(): Promise<void> {
    const { agent, generation } = this;
    if (agent === undefined) {
      await this.reconnect();
      if (this.current.kind === "gone") throw agentGone(this.current.cause);
      return;
    }
    const roster = await agent.request("observe/refresh", {}, refreshDeadlineMs);
    if (generation === this.generation) this.dispatch({ kind: "refreshed", at: this.now(), roster });
  }

  /**
   * The roster as the agent has it now, with the times of its latest looks, which are not pushed.
   * @throws RpcError or a ConnectionError
   */
  latest(): Promise<Roster> {
    return this.ask("roster/get", { all: true });
  }

  /** @throws RpcError, or a ConnectionError while the agent is away */
  async ask<M extends AgentMethod>(method: M, params: AgentParams<M>, deadlineMs?: number): Promise<AgentResult<M>> {
    if (this.agent === undefined) throw agentGone(this.current.kind === "gone" ? this.current.cause : "not connected");
    return this.agent.request(method, params, deadlineMs);
  }

  dispose(): void {
    this.disposed = true;
    this.letGo();
  }

  private letGo(): void {
    this.generation += 1;
    this.timer?.cancel();
    this.timer = undefined;
    const lost = this.agent;
    this.agent = undefined;
    lost?.dispose();
    if (lost !== undefined) this.agents.fire(undefined);
  }

  private async attempt(): Promise<void> {
    if (this.disposed) return;
    const generation = ++this.generation;
    const isCurrent = (): boolean => generation === this.generation;
    const configDirs = this.options.configDirs();
    this.dispatch({ kind: "attempting", at: this.now() });
    let agent: Agent | undefined;
    try {
      agent = await this.options.connect(configDirs, (change) => {
        if (isCurrent()) this.dispatch({ kind: "changed", at: this.now(), change });
      });
      const roster = await agent.request("roster/subscribe", {});
      if (!isCurrent()) {
        agent.dispose();
        return;
      }
      this.agent = agent;
      this.dispatch({ kind: "connected", at: this.now(), roster, configDirs });
      this.options.log.info(`connected to the agent; ${roster.sessions.length} sessions`);
      this.agents.fire(agent);
      agent.onClose(() => this.lost(generation, "it closed the connection"));
      this.heartbeatLater(generation);
    } catch (error) {
      agent?.dispose();
      if (isCurrent()) this.failed(describeError(error));
    }
  }

  private heartbeatLater(generation: number): void {
    if (generation !== this.generation) return;
    this.timer = this.options.scheduler.after(heartbeatMs, () => void this.heartbeat(generation));
  }

  private async heartbeat(generation: number): Promise<void> {
    try {
      await this.agent?.request("agent/health", {}, heartbeatDeadlineMs);
    } catch (error) {
      this.lost(generation, describeError(error));
      return;
    }
    if (generation !== this.generation) return;
    this.dispatch({ kind: "alive", at: this.now() });
    this.heartbeatLater(generation);
  }

  private lost(generation: number, cause: string): void {
    if (generation !== this.generation) return;
    const { current } = this;
    if (current.kind === "live" && this.now() - current.connectedAt >= stableMs) this.attempts = 0;
    this.letGo();
    this.failed(cause);
  }

  private failed(cause: string): void {
    const at = this.now();
    const delayMs = backoffDelayMs(reconnectBackoff, this.attempts, this.options.random());
    this.attempts += 1;
    this.options.log.warn(`the agent is gone: ${cause}; next attempt in ${delayMs} ms`);
    this.timer = this.options.scheduler.after(delayMs, () => void this.attempt());
    this.dispatch({ kind: "failed", at, cause, nextAttemptAt: at + delayMs });
  }

  private dispatch(event: RosterEvent): void {
    const next = reduceRoster(this.current, event);
    if (next === this.current) return;
    this.current = next;
    this.changes.fire(next);
  }

  private now(): EpochMs {
    return this.options.scheduler.now();
  }
}

function agentGone(cause: string): RollcallError<ConnectionErrorKind> {
  return rollcallError<ConnectionErrorKind>(
    "agent-gone",
    `the agent cannot be reached: ${cause}; it is tried again by itself, its log says more`,
  );
}
