// Every adapter of sandboxes, each asked by its own period and one list at a time: a list that takes too long is given
// up and told as such, and no other waits for it. What the lists say is for who folds.
import type { Scheduler, Timer } from "../../../base/clock.ts";
import { periods } from "../../../base/limits.ts";
import { describeError } from "../../../base/errors.ts";
import { Patience } from "../../../base/node/patience.ts";
import type { Log } from "../../../base/node/log.ts";
import { unobserved, type Observation } from "../../../protocol/observation.ts";
import type { MonitorEvent } from "../../core/monitorEvent.ts";
import type { SandboxListing } from "../../core/sandboxListing.ts";
import { SingleFlight } from "../singleFlight.ts";
import type { SandboxAdapter } from "./adapter.ts";
import { Probes, type ProbesOptions } from "./probes.ts";

export interface SandboxWatchOptions extends ProbesOptions {
  readonly adapters: readonly SandboxAdapter[];
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly emit: (events: readonly MonitorEvent[]) => void;
  /** False where sandboxes are not asked from inside. */
  readonly probing: boolean;
}

interface Watched {
  readonly adapter: SandboxAdapter;
  readonly flight: SingleFlight;
  readonly patience: Patience;
  timer: Timer | undefined;
  /** Set while its events are heard. */
  unfollow: (() => void) | undefined;
  /** Of what its last list holds. */
  asking: Promise<void>;
  /** The list that comes is asked for by somebody. */
  wanted: boolean;
}

/** Events come in bursts, and each costs a list. */
const eventRestMs = 100;

export class SandboxWatch {
  private readonly options: SandboxWatchOptions;
  private readonly probes: Probes;
  private readonly watched: readonly Watched[];
  private running = false;

  constructor(options: SandboxWatchOptions) {
    this.options = options;
    this.probes = new Probes(options);
    const onFault = (error: unknown): void => options.log.warn("a list of sandboxes failed", error);
    this.watched = options.adapters.map((adapter) => {
      const patience = new Patience(adapter.source, adapter.deadlineMs);
      const flight = new SingleFlight(() => this.list(each), onFault);
      const each: Watched = {
        adapter,
        flight,
        patience,
        timer: undefined,
        unfollow: undefined,
        asking: Promise.resolve(),
        wanted: false,
      };
      return each;
    });
    // One millisecond older than every answer, so that the first one counts.
    const at = options.scheduler.now() - 1;
    for (const { source } of options.adapters)
      options.emit([{ kind: "sandboxes", list: unobserved(source, at, "no answer yet") }]);
  }

  /** Asks again and again, the first time after one period: the start asks by itself. */
  start(): void {
    this.running = true;
    for (const each of this.watched) this.next(each);
  }

  /** Lists once and asks inside; resolves when all have answered or failed. */
  async scan(which: "outside" | "after-processes"): Promise<void> {
    const now = this.watched.filter(
      ({ adapter }) => (adapter.needsProcesses === true) === (which === "after-processes"),
    );
    await Promise.all(
      now.map(async (each) => {
        each.wanted = true;
        await each.flight.run();
        await each.asking;
      }),
    );
  }

  /** Somebody lives in a sandbox that is on no list: those that answer at once are asked, once for each. */
  expect(unlisted: ReadonlySet<string>): void {
    const isNew = [...unlisted].some((each) => !this.expected.has(each));
    this.expected = unlisted;
    if (!isNew || !this.running) return;
    for (const { adapter, flight } of this.watched)
      if (adapter.periodMs < periods.sandboxListMs.sbx || adapter.needsProcesses === true) void flight.run();
  }

  private expected: ReadonlySet<string> = new Set();

  stop(): void {
    this.running = false;
    for (const each of this.watched) {
      each.timer?.cancel();
      each.unfollow?.();
      each.adapter.dispose();
    }
  }

  private next(each: Watched): void {
    if (!this.running) return;
    each.timer = this.options.scheduler.after(each.adapter.periodMs, () => {
      void each.flight.run().then(() => this.next(each));
    });
  }

  private async list(each: Watched): Promise<void> {
    const { adapter, patience } = each;
    const began = this.options.scheduler.now();
    let list: Observation<SandboxListing>;
    try {
      list = await patience.wait(() => adapter.list());
    } catch (error) {
      list = unobserved(adapter.source, began, describeError(error));
    }
    this.options.emit([{ kind: "sandboxes", list }]);
    // The next list does not wait for what is asked inside.
    if (list.kind === "observed" && this.options.probing)
      each.asking = this.probes.ask(adapter, list.value.sandboxes, each.wanted).catch((error: unknown) => {
        this.options.log.warn("a probe failed", error);
      });
    each.wanted = false;
    if (list.kind === "observed" && this.running && each.unfollow === undefined) this.follow(each);
  }

  private follow(each: Watched): void {
    let due: Timer | undefined;
    each.unfollow = each.adapter.follow?.(
      () => {
        due ??= this.options.scheduler.after(eventRestMs, () => {
          due = undefined;
          void each.flight.run();
        });
      },
      () => {
        due?.cancel();
        each.unfollow = undefined;
      },
    );
  }
}
