// Watches single sessions closely while somebody looks at them: reads the transcript's timeline when it changed, and
// tells differences, a burst as one. Nobody watching costs nothing. It does IO and timing only; what a detail says is
// decided in core.
import type { Scheduler, Timer } from "../base/clock.ts";
import { DisposableList, type Disposable } from "../base/disposable.ts";
import type { Emitter } from "../base/emitter.ts";
import { rollcallError, type RollcallError } from "../base/errors.ts";
import { limits, periods } from "../base/limits.ts";
import type { Log } from "../base/node/log.ts";
import type { Roster, RosterChange, Session } from "../protocol/roster.ts";
import type { SessionDetail, StatusHistory } from "../protocol/sessionDetail.ts";
import { diffDetails, type SessionDetailChange } from "../protocol/sessionDetailChange.ts";
import { neverKnown, retain } from "./core/observation.ts";
import { sessionDetail, type KnownTimeline } from "./core/sessionDetail.ts";
import { SingleFlight } from "./observe/singleFlight.ts";
import { SubagentTimelines } from "./observe/subagentTimelines.ts";
import { TimelineReader } from "./observe/timelineReader.ts";

export type SessionDetailErrorKind = "session-unknown";
export type SessionDetailError = RollcallError<SessionDetailErrorKind>;

/** What it needs of the observer. */
export interface DetailSource {
  roster(): Roster;
  rosterOfAll(): Promise<Roster>;
  statusHistory(key: string): StatusHistory;
  readonly changes: Pick<Emitter<RosterChange>, "on">;
  readonly transcriptReads: Pick<Emitter<string>, "on">;
}

export interface SessionDetailsOptions {
  readonly source: DetailSource;
  readonly scheduler: Scheduler;
  readonly log: Log;
}

/** Differences are told this often at most. */
const tellEveryMs = 200;

export class SessionDetails {
  private readonly options: SessionDetailsOptions;
  private readonly watched = new Map<string, WatchedSession>();

  constructor(options: SessionDetailsOptions) {
    this.options = options;
  }

  /**
   * The detail as of now, read for this call only.
   * @throws SessionDetailError
   */
  async get(key: string): Promise<SessionDetail> {
    const watch = await this.watch(key, () => undefined);
    watch.dispose();
    return watch.detail;
  }

  /**
   * The detail as of now; differences follow until it is disposed.
   * @throws SessionDetailError
   */
  async watch(
    key: string,
    onChange: (change: SessionDetailChange) => void,
  ): Promise<Disposable & { readonly detail: SessionDetail }> {
    let session = this.watched.get(key);
    if (session === undefined) {
      const row = await this.findRow(key);
      session = this.watched.get(key) ?? new WatchedSession(key, row, this.options);
      this.watched.set(key, session);
    }
    const watched = session;
    const listener = { onChange };
    watched.users += 1;
    let disposed = false;
    const dispose = (): void => {
      if (disposed) return;
      disposed = true;
      watched.listeners.delete(listener);
      watched.users -= 1;
      if (watched.users > 0) return;
      watched.dispose();
      if (this.watched.get(key) === watched) this.watched.delete(key);
    };
    // A file that does not answer costs its deadline; the page then says that it is being read.
    await Promise.race([watched.firstRead, this.deadline()]);
    try {
      watched.tell();
    } catch (error) {
      dispose();
      throw error;
    }
    // From here on differences follow what it is told now.
    watched.listeners.add(listener);
    return { detail: watched.told, dispose };
  }

  private deadline(): Promise<void> {
    return new Promise((resolve) => this.options.scheduler.after(limits.fileReadDeadlineMs, resolve));
  }

  private async findRow(key: string): Promise<Session> {
    const isIt = (session: Session): boolean => session.key === key;
    const row =
      this.options.source.roster().sessions.find(isIt) ??
      // One that was not touched within a day is read for this call.
      (await this.options.source.rosterOfAll()).sessions.find(isIt);
    if (row !== undefined) return row;
    throw rollcallError<SessionDetailErrorKind>(
      "session-unknown",
      `the agent knows no session ${key}; its config folder may not be watched, or its transcript was removed`,
    );
  }
}

class WatchedSession implements Disposable {
  /** Who watches, also who has not been told anything yet. */
  users = 0;
  readonly listeners = new Set<{ readonly onChange: (change: SessionDetailChange) => void }>();
  readonly firstRead: Promise<void>;
  told: SessionDetail;
  private readonly key: string;
  private readonly options: SessionDetailsOptions;
  private readonly reads: SingleFlight;
  private readonly hears = new DisposableList();
  private reader: TimelineReader | undefined;
  private subagents: SubagentTimelines | undefined;
  private timeline: KnownTimeline = { known: neverKnown, subagents: [], failure: undefined };
  private last: Session;
  private leftAt: number | undefined;
  private soon: Timer | undefined;
  private later: Timer | undefined;
  private disposed = false;

  constructor(key: string, row: Session, options: SessionDetailsOptions) {
    this.key = key;
    this.last = row;
    this.options = options;
    this.told = this.detail();
    this.reads = new SingleFlight(
      () => this.readTimeline(),
      (error) => options.log.warn("a timeline could not be read", error),
    );
    this.hears.add(options.source.changes.on((change) => this.rosterChanged(change)));
    this.hears.add(options.source.transcriptReads.on((path) => this.transcriptRead(path)));
    this.firstRead = this.reads.run();
    this.lookLater();
  }

  /** Tells at once what is new. */
  tell(): void {
    this.soon?.cancel();
    this.soon = undefined;
    if (this.disposed) return;
    const next = this.detail();
    const change = diffDetails(this.told, next);
    this.told = next;
    if (change !== undefined) for (const { onChange } of [...this.listeners]) onChange(change);
  }

  dispose(): void {
    this.disposed = true;
    this.hears.dispose();
    this.soon?.cancel();
    this.later?.cancel();
  }

  private rosterChanged({ upsert, remove, sources }: RosterChange): void {
    const own = upsert.find(({ key }) => key === this.key);
    // What its subagents do changes the row, and no other file.
    if (own !== undefined) {
      this.last = own;
      void this.reads.run();
    }
    if (own !== undefined || remove.includes(this.key) || sources.length > 0) this.tellSoon();
  }

  private transcriptRead(path: string): void {
    if (path === this.reader?.path) void this.reads.run();
  }

  private tellSoon(): void {
    if (this.disposed) return;
    this.soon ??= this.options.scheduler.after(tellEveryMs, () => this.tell());
  }

  /** Times of the latest looks, and a transcript that no event told of. */
  private lookLater(): void {
    if (this.disposed) return;
    this.later = this.options.scheduler.after(periods.polledFolderMs, () => {
      void this.reads.run().then(() => this.lookLater());
    });
  }

  private async readTimeline(): Promise<void> {
    const path = this.last.transcript;
    if (path !== undefined && path !== this.reader?.path) {
      const source = `transcripts:${this.last.configDir}` as const;
      this.reader = new TimelineReader(path, source);
      this.subagents = new SubagentTimelines(path, source);
    }
    if (this.reader !== undefined) {
      const at = this.options.scheduler.now();
      const read = await this.reader.read(at);
      this.timeline = {
        known: retain(this.timeline.known, read),
        subagents: (await this.subagents?.read(at)) ?? [],
        failure: read.kind === "unobserved" ? { at, cause: read.cause } : undefined,
      };
    }
    this.tellSoon();
  }

  private detail(): SessionDetail {
    const { source, scheduler } = this.options;
    const roster = source.roster();
    const row = roster.sessions.find(({ key }) => key === this.key);
    this.leftAt = row === undefined ? (this.leftAt ?? scheduler.now()) : undefined;
    this.last = row ?? this.last;
    return sessionDetail({
      roster,
      key: this.key,
      last: this.last,
      leftAt: this.leftAt,
      history: source.statusHistory(this.key),
      timeline: this.timeline,
      now: scheduler.now(),
    });
  }
}
