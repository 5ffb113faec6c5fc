// Processes, asked of the kernel. Known ones are glanced at several times a second, which costs a microsecond each,
// so that an end shows within a second; every 3 s each one is reported as seen, and new ones are looked for, so
// that a failing process table hides nobody. Which pids matter besides is the caller's knowledge.
import { describeError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { observed, unobserved } from "../../protocol/observation.ts";
import type { MonitorEvent } from "../core/monitorEvent.ts";
import type { ProcessFacts } from "../core/processes.ts";
import { inParallel } from "./inParallel.ts";
import { whoseProgram, type ProcFactsOptions } from "./procFacts.ts";
import { takeCensus } from "./namespaceCensus.ts";
import { lookAtPid, noProcessOf, procFault } from "./procLook.ts";
import { ProcScan, uptimeTicks } from "./procScan.ts";
import { HeldProcess } from "./procStat.ts";

export interface ProcessWatchOptions {
  readonly now: () => number;
  readonly bootedAt: number | undefined;
  readonly folders: ProcFactsOptions["folders"];
  readonly emit: (events: readonly MonitorEvent[]) => void;
}

/** Of so many processes a glance reads the held files too; those of more are read by the look every 3 s. */
const readsPerGlance = 40;
/** A session whose config folder could not be told is asked again this often. */
const folderRetryMs = 30_000;

interface Held {
  readonly process: HeldProcess;
  readonly since: number;
  readonly facts: ProcessFacts;
  readonly comm: string;
}

export class ProcessWatch {
  private readonly options: ProcessWatchOptions;
  private readonly held = new Map<number, Held>();
  private readonly buffer = Buffer.alloc(4096);
  private readonly scan = new ProcScan();

  constructor(options: ProcessWatchOptions) {
    this.options = options;
  }

  get heldCount(): number {
    return this.held.size;
  }

  /** True for a process that was looked at, whatever it turned out to be, and is the same still. */
  isJudged(pid: number): boolean {
    return this.peek(pid) !== undefined || this.scan.isDismissed(pid);
  }

  /** Pids that the kernel knows now, and were started some seconds before the given time. */
  aliveSince(startedBefore: number): readonly number[] {
    const settled = [...this.held.values()].filter(
      ({ facts }) => facts.startedAt !== undefined && facts.startedAt < startedBefore - 2_000,
    );
    return settled.flatMap(({ facts }) => (noProcessOf(facts.pid) ? [] : [facts.pid]));
  }

  /**
   * A full look at each of these pids; those that are gone are let go.
   * @param hints pids that may be agents; they are told of only if they are
   */
  async look(pids: ReadonlySet<number>, hints: readonly number[] = []): Promise<void> {
    const at = this.options.now();
    const fault = procFault();
    if (fault !== undefined) {
      this.options.emit([{ kind: "proc", state: unobserved("proc", at, fault) }]);
      return;
    }
    const events: MonitorEvent[] = [{ kind: "proc", state: observed("proc", at, "answers") }];
    const looks: MonitorEvent[] = [];
    await inParallel([...pids], limits.processLooksAtOnce, async (pid, index) => {
      looks[index] = await this.lookAt(pid);
    });
    events.push(...looks);
    for (const pid of hints) {
      if (pids.has(pid) || this.scan.isDismissed(pid)) continue;
      const stamp = this.scan.stamp(pid);
      if (stamp === undefined) continue;
      const event = await this.lookAt(pid);
      if (event.look.kind !== "alive") continue;
      const { facts } = event.look;
      if (facts.role.kind === "other") {
        this.scan.dismiss(stamp);
        continue;
      }
      const program = await whoseProgram(facts);
      const mayStillBecomeAnother = program === "cannot-tell" && this.scan.isNewborn(stamp);
      if (program === "of-its-parent" || mayStillBecomeAnother) this.letGo(pid);
      else events.push(event);
    }
    this.options.emit(events);
  }

  /** Pids of processes that may be agents and were not judged yet; where /proc cannot be listed, why. */
  findNew(): { readonly pids: readonly number[]; readonly fault: string | undefined } {
    try {
      return { pids: this.scan.candidates(uptimeTicks(), this.held), fault: undefined };
    } catch (error) {
      return { pids: [], fault: `/proc: ${describeError(error)}` };
    }
  }

  /**
   * Tells who runs in these namespaces, and returns the host's pids of those who were asked for.
   * @param wanted pids inside, by namespace
   */
  findInNamespaces(wanted: ReadonlyMap<string, ReadonlySet<number>>): readonly number[] {
    if (wanted.size === 0 || procFault() !== undefined) return [];
    const at = this.options.now();
    const { found, fault } = takeCensus(new Set(wanted.keys()));
    if (fault === undefined)
      this.options.emit(
        [...found].map(([namespace, inside]) => ({
          kind: "namespace-look",
          namespace,
          at,
          pids: new Set(inside.keys()),
        })),
      );
    return [...wanted].flatMap(([namespace, pids]) => [...pids].flatMap((pid) => found.get(namespace)?.get(pid) ?? []));
  }

  private async lookAt(pid: number): Promise<Extract<MonitorEvent, { kind: "pid-look" }>> {
    const at = this.options.now();
    const known = this.glanceAt(pid);
    if (known !== undefined && !this.isDue(pid, at))
      return { kind: "pid-look", pid, at, look: { kind: "alive", facts: known } };
    const look = await lookAtPid(pid, this.options);
    if (look.kind === "alive" && look.facts.role.kind !== "other") this.hold(look.facts, at);
    return { kind: "pid-look", pid, at, look };
  }

  /**
   * Looks again at those processes only that signal 0 no longer finds, or whose held file no longer answers as before:
   * one that waits to be reaped, or that runs another program.
   */
  async glance(): Promise<void> {
    const pids = [...this.held.keys()];
    const reads = pids.length <= readsPerGlance;
    const changed = pids.filter((pid) => noProcessOf(pid) || (reads && this.peek(pid) === undefined));
    if (changed.length > 0) await this.look(new Set(changed));
  }

  dispose(): void {
    for (const { process } of this.held.values()) process.close();
    this.held.clear();
  }

  /** The facts as held while the process is the same and runs the same program; else it is let go. */
  private glanceAt(pid: number): ProcessFacts | undefined {
    const facts = this.peek(pid);
    if (facts === undefined) this.letGo(pid);
    return facts;
  }

  private peek(pid: number): ProcessFacts | undefined {
    const held = this.held.get(pid);
    if (held === undefined) return undefined;
    const glance = held.process.glance();
    const same =
      glance.kind === "alive" && glance.stat.comm === held.comm && glance.stat.startTicks === held.facts.startToken;
    return same ? held.facts : undefined;
  }

  private letGo(pid: number): void {
    this.held.get(pid)?.process.close();
    this.held.delete(pid);
  }

  private isDue(pid: number, now: number): boolean {
    const held = this.held.get(pid);
    if (held === undefined || held.facts.role.kind !== "session" || held.facts.configDir !== undefined) return false;
    if (now - held.since < folderRetryMs) return false;
    this.letGo(pid);
    return true;
  }

  private hold(facts: ProcessFacts, since: number): void {
    if (this.held.size >= limits.processesRemembered) return;
    let process: HeldProcess;
    try {
      process = new HeldProcess(facts.pid, this.buffer);
    } catch {
      // eslint-disable-next-line no-restricted-syntax -- without a held file the 3 s look serves, and tells of the end
      return;
    }
    const glance = process.glance();
    if (glance.kind === "alive" && glance.stat.startTicks === facts.startToken) {
      this.held.set(facts.pid, { process, since, facts, comm: glance.stat.comm });
    } else process.close();
  }
}
