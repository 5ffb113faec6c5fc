// The agent's loop: sources are asked, on events and on timers with a ceiling; what they answer is folded in
// batches; the roster that follows is compared with the one before, and the difference is told. It only does
// IO and timing: what follows from an observation is decided in core/.
import { randomUUID } from "node:crypto";
import type { Scheduler, Timer } from "../base/clock.ts";
import { Emitter } from "../base/emitter.ts";
import { describeError } from "../base/errors.ts";
import { periods } from "../base/limits.ts";
import type { Log } from "../base/node/log.ts";
import type { RollcallPaths } from "../base/node/paths.ts";
import { unobserved, type Observation, type SourceId } from "../protocol/observation.ts";
import type { Roster, RosterChange, Session } from "../protocol/roster.ts";
import type { StatusHistory } from "../protocol/sessionDetail.ts";
import { asBefore, diffRosters } from "../protocol/rosterChange.ts";
import { clockTickMs, comparedAgain, isDueByClock, neverCompared, type Compared } from "./core/clockLook.ts";
import {
  conversationsUnread,
  namedConversations,
  namespacesOfInterest,
  namespacesOfSessions,
  pidsOfInterest,
  showsAllInside,
  unlistedSandboxes,
  usedFolders,
} from "./core/interest.ts";
import { hookActs, type HookAct } from "./core/hookActs.ts";
import { fromMemory, toMemory } from "./core/memory.ts";
import type { AgentMemory } from "./core/memorySchema.ts";
import { foldersOf, goneAsRemembered } from "./core/goneFolders.ts";
import { isNews } from "./core/news.ts";
import { newMonitor, type HostFacts, type Monitor } from "./core/monitor.ts";
import type { MonitorEvent } from "./core/monitorEvent.ts";
import { observeAll } from "./core/observeAll.ts";
import { projectRoster } from "./core/roster.ts";
import type { ProcessUsage } from "./core/snapshotChange.ts";
import { foldStatusHistory, noHistory, type StatusHistories } from "./core/statusHistory.ts";
import { ConfigFolders } from "./observe/configFolders.ts";
import { KeptReads } from "./observe/keptReads.ts";
import { HookSpools } from "./hookSpools.ts";
import { readProcessCost } from "./observe/processUsage.ts";
import { readProcessTable } from "./observe/processTable.ts";
import type { SandboxOptions } from "./observe/sandboxes/adapters.ts";
import { SandboxWatch } from "./observe/sandboxes/sandboxWatch.ts";
import { RegistrySources, type RecordPaths, type RegistryHistory } from "./observe/registrySources.ts";
import { ProcessWatch } from "./observe/processWatch.ts";
import { readPsTable } from "./observe/psTable.ts";
import { SingleFlight } from "./observe/singleFlight.ts";
import { WorkFolders } from "./observe/workFolders.ts";
import { WatchedFolders, type FolderNeed } from "./watchedFolders.ts";

/** Events that come in one burst are folded together. */
const batchMs = 5;
/** After a telling so many times as long without one, so that a flood of events does not cost all of a core. */
const rest = { times: 4, mostMs: 60 } as const;
/** A failed table is asked for again this soon, so that it heals by itself. */
const tableRetryMs = 5_000;
/** Who asks again within so short a time gets the same roster where nothing came in between. */
const sameMomentMs = 20;

export interface ObserverOptions {
  /** False for one who observes once, and leaves the events of hooks to the agent. */
  readonly foldsHooks?: boolean;
  readonly host: HostFacts;
  readonly memory: AgentMemory | undefined;
  readonly tableScript: string;
  /** The config folders were named by the user, so sessions of others are not asked for. */
  readonly onlyWatchedFolders: boolean;
  readonly scheduler: Scheduler;
  readonly log: Log;
  readonly paths: RecordPaths & Pick<RollcallPaths, "spool" | "hookFacts">;
  /** Where what transcripts said is kept for the next look, by whoever looks once. */
  readonly keptReads?: string;
  /** Where sandboxes are listed; undefined where nobody is asked. */
  readonly sandboxes?: SandboxOptions;
  readonly journal: RegistryHistory;
}

export class Observer {
  readonly changes: Emitter<RosterChange>;
  /** Paths of transcripts that were just read since they changed. */
  readonly transcriptReads: Emitter<string>;
  private readonly options: ObserverOptions;
  private monitor: Monitor;
  private told: Roster;
  private histories: StatusHistories;
  private pending: MonitorEvent[] = [];
  private batch: Timer | undefined;
  private readonly configFolders = new ConfigFolders(() => this.folders.hostNames);
  private readonly folders: WatchedFolders;
  private readonly keptReads: KeptReads | undefined;
  private readonly processes: ProcessWatch;
  private readonly workFolders: WorkFolders;
  private readonly registries: RegistrySources;
  private readonly hooks: HookSpools;
  private readonly sandboxes: SandboxWatch;
  private readonly table: SingleFlight;
  private readonly looks: SingleFlight;
  private readonly glances: SingleFlight;
  private readonly timers = new Map<string, Timer>();
  private running = false;
  /** What was folded since the last telling may have changed what a client sees. */
  private news = true;
  private restsUntil = 0;

  constructor(options: ObserverOptions) {
    this.options = options;
    const { log, scheduler, host } = options;
    const onFault = (error: unknown): void => log.warn("an observation failed", error);
    this.changes = new Emitter(onFault);
    this.transcriptReads = new Emitter(onFault);
    this.monitor = options.memory === undefined ? newMonitor(host) : fromMemory(host, options.memory);
    this.workFolders = new WorkFolders(goneAsRemembered(options.memory?.sessions ?? []));
    this.told = this.project(this.monitor, false);
    const kept: StatusHistories = new Map(options.memory?.histories);
    this.histories = foldStatusHistory(kept, this.told.sessions, scheduler.now());
    this.keptReads = options.keptReads === undefined ? undefined : new KeptReads(options.keptReads);
    this.folders = new WatchedFolders({
      scheduler,
      log,
      keptReads: this.keptReads,
      emit: (events) => this.emit(events),
      interesting: () => namedConversations(this.monitor),
      sandboxFiles: (configDir) => this.configFolders.filesOf(configDir),
      releaseSandbox: (configDir) => this.configFolders.release(configDir),
      sandboxesLeftOut: () => this.configFolders.leftOut,
    });
    this.processes = new ProcessWatch({
      now: () => scheduler.now(),
      bootedAt: host.bootedAt,
      folders: this.configFolders,
      emit: (events) => this.emit(events),
    });
    this.registries = new RegistrySources({
      paths: options.paths,
      journal: options.journal,
      scheduler,
      log,
      emit: (events) => this.emit(events),
    });
    this.hooks = new HookSpools({
      spool: options.paths.spool,
      hookFacts: options.paths.hookFacts,
      removes: options.foldsHooks === true,
      scheduler,
      log,
      emit: (events) => this.emit(events),
      known: () => {
        this.fold();
        return this.monitor.hooks;
      },
    });
    const namespaces = (): ReadonlySet<string> => namespacesOfSessions(this.monitor);
    this.sandboxes = new SandboxWatch({
      adapters: options.sandboxes?.adapters({ host, now: () => scheduler.now(), namespaces }) ?? [],
      probing: options.sandboxes?.probing === true,
      scheduler,
      log,
      host,
      nonce: () => randomUUID(),
      memoryOf: (identity) => {
        this.fold();
        return this.monitor.sandboxes.probes.get(identity);
      },
      isSeen: (sandbox) => showsAllInside(this.monitor, sandbox),
      emit: (events) => this.emit(events),
    });
    this.table = new SingleFlight(() => this.readTable(), onFault);
    this.looks = new SingleFlight(() => this.lookAtProcesses(), onFault);
    this.glances = new SingleFlight(() => this.processes.glance(), onFault);
    this.emit([{ kind: "process-table", table: this.notAskedYet("process-table") }]);
    if (host.kernelAnswers) this.emit([{ kind: "proc", state: this.notAskedYet("proc") }]);
    this.emit([{ kind: "registry", registry: this.notAskedYet("registry") }]);
  }

  /** Watches these config folders too, for as long as they are needed. */
  addConfigDirs(dirs: readonly string[], need: FolderNeed = "start"): void {
    this.folders.add(dirs, need);
  }

  /** A client that is gone needs no folder any more. */
  dropConfigDirs(need: FolderNeed): void {
    this.folders.drop(need);
  }

  /** Resolves when every source answered once since the start. */
  firstAnswers: Promise<void> = Promise.resolve();

  /** Begins to watch. */
  start(): void {
    this.running = true;
    this.firstAnswers = this.refresh();
    this.folders.start();
    this.registries.start();
    this.hooks.start();
    this.sandboxes.start();
    this.every(
      "table",
      () => (this.tableFailed ? tableRetryMs : periods.processTableMs),
      () => this.table.run(),
    );
    if (this.options.host.kernelAnswers) {
      this.every(
        "look",
        () => periods.procMs,
        () => this.looks.run(),
      );
      this.every(
        "glance",
        () => this.glancePeriodMs(),
        () => this.glances.run(),
      );
    }
    this.every(
      "work-folders",
      () => periods.processTableMs,
      async () => {
        await this.lookForFolders(this.told);
        if (this.news) this.tell();
      },
    );
    this.every(
      "clock",
      () => clockTickMs(this.told),
      () => {
        this.fold();
        const { compared, told, monitor } = this;
        if (this.news || isDueByClock(compared, told, monitor, this.options.scheduler.now())) this.tell();
      },
    );
  }

  /** Asks every source once; resolves when all of them answered or failed. */
  async refresh(): Promise<void> {
    const folders = this.folders.all;
    // The slowest source runs beside the others.
    const table = this.table.run();
    const registries = this.registries.scan();
    const hooks = this.hooks.scan();
    const sandboxes = this.sandboxes.scan("outside");
    // Records first: they name the processes and transcripts to look at.
    await Promise.all([this.keptReads?.load(), ...folders.map((folder) => folder.scanRecords())]);
    this.fold();
    const named = namedConversations(this.monitor);
    await Promise.all([this.lookIfPossible(), ...folders.map((folder) => folder.scanTranscripts())]);
    await Promise.all([table, registries, hooks]);
    this.fold();
    // The table may have named processes that nothing else did, and these their folders.
    if (this.tablePids.some((pid) => !this.processes.isJudged(pid))) await this.lookIfPossible();
    this.fold();
    const found = this.folders.all.filter((folder) => !folders.includes(folder));
    if (found.length > 0) {
      await Promise.all(found.map((folder) => folder.scanRecords()));
      await Promise.all(found.map((folder) => folder.scanTranscripts()));
      this.fold();
    }
    // A transcript too old to be read for itself may be that of a process that was only found since.
    if ([...conversationsUnread(this.monitor)].some((id) => !named.has(id))) {
      await Promise.all(this.folders.all.map((folder) => folder.scanTranscripts()));
      this.fold();
    }
    await Promise.all([sandboxes, this.sandboxes.scan("after-processes")]);
    await this.lookForFolders(this.roster());
  }

  /** Asks the registries only, as after a write. */
  async refreshRegistries(): Promise<void> {
    await this.registries.scan();
    this.fold();
  }

  /** What the registry has to follow of what hooks told. */
  hookActs(): readonly HookAct[] {
    this.fold();
    return hookActs(this.monitor, this.told.sessions, this.options.scheduler.now());
  }

  roster(): Roster {
    this.fold();
    const { monitor, last } = this;
    const { gone } = this.workFolders;
    const at = this.options.scheduler.now();
    if (last?.monitor === monitor && last.gone === gone && at - last.at < sameMomentMs) return last.roster;
    const roster = this.project(monitor, false);
    // Deriving many rows may take longer than the moment.
    this.last = { monitor, gone, at: this.options.scheduler.now(), roster };
    return roster;
  }

  private last:
    | { readonly monitor: Monitor; readonly gone: ReadonlySet<string>; readonly at: number; readonly roster: Roster }
    | undefined;

  /**
   * The roster that later differences are told against. Whoever follows has to begin with this one: from any other,
   * what changed and changed back before the next telling would stay with it for good.
   */
  toldRoster(): Roster {
    this.tell(this.roster());
    return this.told;
  }

  /** With the rows of transcripts that are not followed, read now and not kept. */
  async rosterOfAll(): Promise<Roster> {
    this.fold();
    const others = await Promise.all(this.folders.all.map((folder) => folder.readOthers()));
    const all = observeAll(this.monitor, others.flat());
    await this.lookForFolders(this.project(all, true));
    return this.project(all, true);
  }

  private project(monitor: Monitor, all: boolean, keep?: (row: Session) => Session): Roster {
    const { scheduler, onlyWatchedFolders } = this.options;
    const { gone: goneFolders, real: realFolders } = this.workFolders;
    const options = { now: scheduler.now(), all, onlyWatchedFolders, goneFolders, realFolders };
    return projectRoster(monitor, keep === undefined ? options : { ...options, keep });
  }

  /** The rows tell which folders to look for. */
  private async lookForFolders({ sessions }: Pick<Roster, "sessions">): Promise<void> {
    if (await this.workFolders.look(foldersOf(sessions))) this.news = true;
  }

  /** For the next look. */
  keepReads(): void {
    try {
      this.keptReads?.save();
    } catch (error) {
      this.options.log.warn(`what transcripts said could not be kept: ${describeError(error)}`);
    }
  }

  memory(): AgentMemory {
    const roster = this.roster();
    return toMemory(this.monitor, roster.sessions, this.options.scheduler.now(), this.histories);
  }

  /** What the kernel tells of a session's process now; null where nobody tells. */
  usageOf({ pid, liveness }: Session): ProcessUsage {
    const untold = { cputime_secs: null, mem_mb: null, has_child: null };
    if (pid === undefined || liveness.source !== "proc" || liveness.kind !== "live") return untold;
    const found = [...this.monitor.processes].find(([, { facts, life }]) => facts.pid === pid && life.kind === "alive");
    const cost = found === undefined ? undefined : readProcessCost(pid, found[1].facts.startToken);
    if (found === undefined || cost === undefined) return untold;
    const tableTells = this.monitor.sources.get("process-table")?.last === "observed";
    const has_child = tableTells ? !this.monitor.childlessSince.has(found[0]) : null;
    return { cputime_secs: cost.cpuSeconds, mem_mb: cost.memoryMb, has_child };
  }

  /** How a session's status changed, as far as it is kept. */
  statusHistory(key: string): StatusHistory {
    return this.histories.get(key) ?? noHistory;
  }

  /** When the process began that holds the session now; undefined where none is seen to. */
  lastStartOf(id: string): number | undefined {
    const starts = this.told.sessions
      .filter((row) => row.id === id && row.liveness.kind === "live" && !row.liveness.stale)
      .map(({ startedAt }) => (startedAt === undefined ? 0 : Date.parse(startedAt)));
    return starts.length === 0 ? undefined : Math.max(...starts);
  }

  get hasLiveSessions(): boolean {
    return this.told.sessions.some((session) => session.liveness.kind === "live");
  }

  get counts(): {
    readonly watchedFolders: number;
    readonly followedTranscripts: number;
    readonly knownProcesses: number;
  } {
    const folders = this.folders.all;
    return {
      watchedFolders: folders.reduce(
        (sum, folder) => sum + folder.watchedFolders,
        this.registries.watchedFolders + this.hooks.watchedFolders,
      ),
      followedTranscripts: folders.reduce((sum, folder) => sum + folder.followedTranscripts, 0),
      knownProcesses: this.monitor.processes.size,
    };
  }

  /** Folders of this host that the agent's own start or a client named. */
  get namedConfigDirs(): readonly string[] {
    return this.folders.named;
  }

  get configDirs(): readonly string[] {
    return this.folders.names;
  }

  async stop(): Promise<void> {
    this.running = false;
    for (const timer of this.timers.values()) timer.cancel();
    this.timers.clear();
    this.batch?.cancel();
    this.sandboxes.stop();
    await Promise.all([this.folders.stop(), this.registries.stop(), this.hooks.stop()]);
    await this.configFolders.dispose();
    this.processes.dispose();
  }

  private emit(events: readonly MonitorEvent[]): void {
    this.pending.push(...events);
    for (const event of events) if (event.kind === "transcript") this.transcriptReads.fire(event.path);
    const { scheduler } = this.options;
    this.batch ??= scheduler.after(Math.max(batchMs, this.restsUntil - scheduler.now()), () => {
      this.batch = undefined;
      this.fold();
      // What nobody hears need not be derived.
      if (this.news && this.changes.isHeard) this.tell();
    });
  }

  /** Takes up what came in; whoever folds early leaves the telling to the batch that is due. */
  private fold(): void {
    if (this.pending.length === 0) return;
    const events = this.pending;
    this.pending = [];
    const news = this.news || events.some((event) => isNews(this.monitor, event));
    this.news = news;
    this.monitor = observeAll(this.monitor, events);
    // What is no news names nobody.
    if (news) this.askForNamed();
    if (this.running && events.some(namesProcesses)) void this.lookIfPossible();
  }

  /** Until a conversation that is named was looked for, the absence of its transcript is no answer. */
  private askForNamed(): void {
    if (!this.running) return;
    const named = namedConversations(this.monitor);
    const isNew = [...named].some((id) => !this.asked.has(id));
    this.asked = named;
    if (isNew) for (const folder of this.folders.all) void folder.scanTranscripts();
  }

  private asked: ReadonlySet<string> = new Set();

  /** @param roster with the times of now; else rows that say the same keep theirs, and cost no memory */
  private tell(roster?: Roster): void {
    const began = this.options.scheduler.now();
    this.compareAndTell(roster ?? this.rosterOnTold());
    const ended = this.options.scheduler.now();
    this.restsUntil = ended + Math.min(rest.mostMs, (ended - began) * rest.times);
  }

  private compared: Compared = neverCompared;

  private compareAndTell(roster: Roster): void {
    this.news = false;
    const change = diffRosters(this.told, roster);
    // Also where there is nothing to tell: its times may be newer.
    this.told = roster;
    this.compared = comparedAgain(this.compared, this.options.scheduler.now(), change);
    if (change === undefined) return;
    this.histories = foldStatusHistory(this.histories, change.upsert, this.options.scheduler.now());
    this.changes.fire(change);
  }

  /** Rows that say the same as told are told ones: each new one is let go as soon as it was compared. */
  private rosterOnTold(): Roster {
    this.fold();
    return this.project(this.monitor, false, asBefore(this.told));
  }

  private async lookIfPossible(): Promise<void> {
    if (this.options.host.kernelAnswers) await this.looks.run();
  }

  private async lookAtProcesses(): Promise<void> {
    this.fold();
    const { pids, fault } = this.processes.findNew();
    // Known processes are looked at whatever becomes of the search for new ones.
    if (fault !== undefined && fault !== this.searchFault) this.options.log.warn(`new processes: ${fault}`);
    this.searchFault = fault;
    // A record says that its process is a session, so it is looked at without waiting for it to settle.
    const inside = this.processes.findInNamespaces(namespacesOfInterest(this.monitor));
    const asked = new Set([...pidsOfInterest(this.monitor), ...inside]);
    await this.processes.look(asked, [...this.tablePids, ...pids]);
    this.fold();
    this.sandboxes.expect(unlistedSandboxes(this.monitor));
    const used = usedFolders(this.monitor);
    if (!this.options.onlyWatchedFolders) this.folders.add([...used], "process");
    // A folder that hangs holds up no look at processes.
    void this.folders.keep(used);
  }

  private tablePids: readonly number[] = [];
  private searchFault: string | undefined;
  private tableFailed = false;

  private async readTable(): Promise<void> {
    const { host, scheduler, tableScript } = this.options;
    const table = await readProcessTable({
      read: host.kernelAnswers
        ? readPsTable
        : async () => (await import("./observe/psListTable.ts")).readPsListTable(tableScript),
      now: () => scheduler.now(),
      kernelAnswers: host.kernelAnswers,
      knownAlive: (startedBefore) => this.processes.aliveSince(startedBefore),
    });
    this.tableFailed = table.kind !== "observed";
    if (table.kind === "observed") this.tablePids = [...table.value.rows.keys()];
    this.emit([{ kind: "process-table", table }]);
  }

  /** The more processes, the rarer a glance at each: what glancing costs stays about the same. */
  private glancePeriodMs(): number {
    const { least, most } = periods.procGlanceMs;
    const { heldCount } = this.processes;
    return heldCount === 0 ? most : Math.min(most, Math.max(least, heldCount * 3));
  }

  /** Runs again and again, the first time after one period: the start asks every source by itself. */
  private every(name: string, periodMs: () => number, run: () => Promise<void> | void): void {
    const next = (): void => {
      if (this.running)
        this.timers.set(
          name,
          this.options.scheduler.after(periodMs(), () => void round()),
        );
    };
    const round = async (): Promise<void> => {
      await run();
      next();
    };
    next();
  }

  /** One millisecond older than every answer, so that the first one counts. */
  private notAskedYet<T>(source: SourceId): Observation<T> {
    return unobserved(source, this.options.scheduler.now() - 1, "no answer yet");
  }
}

/** A session tells of its process at its start and at its end, so that it is looked at without waiting for the next look. */
function namesProcesses(event: MonitorEvent): boolean {
  if (event.kind === "hook-spool")
    return event.read.events.some(({ name }) => name === "SessionStart" || name === "SessionEnd");
  return event.kind === "pid-record" || event.kind === "process-table";
}
