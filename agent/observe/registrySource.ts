// One registry file as a source: read at every file event of its folder and on a poll, since other tools write it too
// and events do not cross every file system. A registry that cannot be read is unobserved, with the cause; only one
// that was never there is absent. A process that finds it unreadable from the start begins with what was last read whole, at
// the age of that. What is recorded in it, and how it is written, is not its business.
import { basename, dirname } from "node:path";
import type { Scheduler, Timer } from "../../base/clock.ts";
import { periods } from "../../base/limits.ts";
import { guardedLoad, type GuardedLoad, type Parse, type WholeCopies } from "../../base/node/guardedLoad.ts";
import type { Log } from "../../base/node/log.ts";
import type { SeenMarks } from "../../base/node/seenMarks.ts";
import { absent, observed, unobserved, type Observation, type SourceId } from "../../protocol/observation.ts";
import { KeptWatch } from "./keptWatch.ts";
import { SingleFlight } from "./singleFlight.ts";
import { sha256 } from "../../base/node/digest.ts";

export interface RegistrySourceOptions<T> {
  readonly source: SourceId;
  readonly path: string;
  readonly folderIsOurs: boolean;
  readonly marks: SeenMarks;
  readonly parse: Parse<T>;
  readonly copies?: KeptContents;
  /** Adds what is known of it besides, and does not stand in the file. */
  readonly complete?: (value: T) => T;
  readonly scheduler: Scheduler;
  readonly log: Log;
  /** In the order of their times. */
  readonly tell: (observations: readonly Observation<T>[]) => void;
}

export interface KeptContents extends Pick<WholeCopies<unknown>, "before" | "keep"> {
  newest<T>(path: string, parse: Parse<T>): Promise<{ readonly value: T; readonly asOf: number } | undefined>;
  /** It could not be read. */
  missed?(): Promise<void>;
}

export class RegistrySource<T> {
  private readonly options: RegistrySourceOptions<T>;
  private readonly scans: SingleFlight;
  private readonly watch: KeptWatch;
  private timer: Timer | undefined;
  private running = false;
  /** What it held when it was last read whole, here or before. */
  private held: { readonly value: T; readonly asOf: number } | undefined;
  /** What of it was told. */
  private told: T | undefined;

  constructor(options: RegistrySourceOptions<T>) {
    const { path, log } = options;
    this.options = { ...options, parse: unlessTheSame(options.parse) };
    this.scans = new SingleFlight(
      () => this.look(),
      (error) => log.warn(`looking at ${path} failed`, error),
    );
    this.watch = new KeptWatch(dirname(path), {
      depth: 0,
      onChange: (_folder, name) => {
        if (name === "" || name === basename(path)) void this.scans.run();
      },
      onFault: (error) => log.warn(`file events of ${dirname(path)} failed; it is polled`, error),
    });
  }

  /** Resolves when it answered or failed. */
  scan(): Promise<void> {
    return this.scans.run();
  }

  start(): void {
    this.running = true;
    void this.round();
  }

  get watchedFolders(): number {
    return this.watch.folderCount;
  }

  async stop(): Promise<void> {
    this.running = false;
    this.timer?.cancel();
    await this.watch.dispose();
  }

  private async round(): Promise<void> {
    await this.scans.run();
    if (this.running) await this.watch.keep(true);
    if (this.running) this.timer = this.options.scheduler.after(periods.polledFolderMs, () => void this.round());
  }

  private async look(): Promise<void> {
    const { scheduler, tell } = this.options;
    const at = scheduler.now();
    const load = await guardedLoad(this.options);
    if (load.kind === "read") this.held = { value: load.value, asOf: at };
    const before = load.kind === "unreadable" ? await this.heldBefore(at) : undefined;
    const next = this.observation(load, at);
    tell(before === undefined ? [next] : [before, next]);
  }

  /** What it held, of the time when it did; undefined where that was told already, and nothing more is known of it. */
  private async heldBefore(now: number): Promise<Observation<T> | undefined> {
    const { source, path, parse, copies } = this.options;
    await copies?.missed?.();
    this.held ??= await copies?.newest(path, parse);
    if (this.held === undefined) return undefined;
    const { value, asOf } = this.held;
    const { told } = this;
    const complete = this.complete(value);
    return complete === told ? undefined : observed(source, Math.min(asOf, now), complete);
  }

  private observation(load: GuardedLoad<T>, at: number): Observation<T> {
    const { source, path } = this.options;
    switch (load.kind) {
      case "absent":
        return absent(source, at);
      case "unreadable":
        return unobserved(source, at, `${path}: ${load.cause}`);
      case "read":
        return observed(source, at, this.complete(load.value));
    }
  }

  private complete(value: T): T {
    this.told = this.options.complete?.(value) ?? value;
    return this.told;
  }
}

/** A text that was parsed last time is not parsed again. */
function unlessTheSame<T>(parse: Parse<T>): Parse<T> {
  let last: { readonly digest: string; readonly parsed: ReturnType<Parse<T>> } | undefined;
  return (text) => {
    const digest = sha256(text, "base64");
    if (last?.digest !== digest) last = { digest, parsed: parse(text) };
    return last.parsed;
  };
}
