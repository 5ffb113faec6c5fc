// Plans a restore: looks at every source, at the transcripts and folders of those that may be resumed, and has core
// decide. Whoever carries a plan out at once claims it, so that two windows never start one conversation twice.
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { Scheduler } from "../base/clock.ts";
import { describeError, errorCode } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { Mutex } from "../base/mutex.ts";
import { canonicalPath, homeDir, type Environment } from "../base/node/paths.ts";
import { Patience } from "../base/node/patience.ts";
import type { RestoreItem, RestorePlan, RestoreSelection } from "../protocol/restore.ts";
import type { Roster, Session } from "../protocol/roster.ts";
import { iso } from "./core/isoTime.ts";
import {
  folderToResumeIn,
  oneForEachConversation,
  restoreItem,
  type FolderLook,
  type FoundTranscript,
  type RestoreLooks,
  type TranscriptSearch,
} from "./core/restore.ts";
import { refusal, restoreCandidates } from "./core/restoreCandidates.ts";
import { Continuations } from "./observe/continuations.ts";
import { searchTranscripts } from "./observe/transcriptSearch.ts";

export interface RestoreSources {
  refresh(): Promise<void>;
  rosterOfAll(): Promise<Roster>;
  readonly namedConfigDirs: readonly string[];
}

export interface RestorePlannerOptions {
  readonly source: RestoreSources;
  readonly scheduler: Scheduler;
  /** The agent's own default, if a session that names no config folder uses one of those that are named. */
  readonly defaultConfigDir: () => string | undefined;
  readonly ownSandbox: string | undefined;
}

/** Where the plan is made, as the environment tells it. */
export function restorePlace(env: Environment): Pick<RestorePlannerOptions, "defaultConfigDir" | "ownSandbox"> {
  const home = homeDir(env);
  const folder = canonicalPath(join(home, ".claude"));
  return {
    ownSandbox: env["SANDBOX_NAME"],
    // With the variable set the agent keeps its own file inside; it is set again only where that is so.
    defaultConfigDir: () =>
      existsSync(join(folder, ".claude.json")) && !existsSync(join(home, ".claude.json")) ? undefined : folder,
  };
}

/** Until a session that is started shows in the process table of whoever asks next. */
const claimMs = 60_000;

export class RestorePlanner {
  private readonly options: RestorePlannerOptions;
  private readonly folders = new Patience("the folders of sessions", limits.fileReadDeadlineMs);
  private readonly claims = new Map<string, { readonly by: object; readonly until: number }>();
  /** One after the other, so that a claim is seen by whoever asks at the same time. */
  private readonly mutex = new Mutex();

  constructor(options: RestorePlannerOptions) {
    this.options = options;
  }

  /** @param by who asks, and holds what it claims */
  plan(selection: RestoreSelection, by: object): Promise<RestorePlan> {
    return this.mutex.run(() => this.planNow(selection, by));
  }

  /** What was claimed is under way no more: it lives, or could not be started. */
  release(by: object, ids?: readonly string[]): void {
    for (const [id, claim] of [...this.claims])
      if (claim.by === by && (ids?.includes(id) ?? true)) this.claims.delete(id);
  }

  private async planNow(selection: RestoreSelection, by: object): Promise<RestorePlan> {
    const { source, scheduler, ownSandbox } = this.options;
    await source.refresh();
    const roster = await source.rosterOfAll();
    const candidates = restoreCandidates(roster, selection);
    const sessions = candidates.flatMap((each) => (each.kind === "candidate" ? [each.session] : []));
    const { namedConfigDirs } = source;
    const transcriptsOf = await this.search(sessions, namedConfigDirs);
    const continuations = new Continuations();
    const items: RestoreItem[] = [];
    for (const candidate of candidates) {
      const looks =
        candidate.kind === "refused"
          ? undefined
          : await this.look(candidate.session, selection, { transcriptsOf, continuations });
      const defaultConfigDir = this.options.defaultConfigDir();
      const around = { roster, selection, defaultConfigDir, namedConfigDirs, ownSandbox };
      items.push(restoreItem(candidate, looks, around));
    }
    const planned = oneForEachConversation(items).map((item) => this.claimed(item, selection, by));
    return { version: 1, at: iso(scheduler.now()), sessions: planned };
  }

  private async search(
    sessions: readonly Session[],
    configDirs: readonly string[],
  ): Promise<(id: string) => TranscriptSearch> {
    const ids = new Set(sessions.map(({ id }) => id));
    const hints = sessions.flatMap(({ transcript }) => transcript ?? []);
    if (ids.size === 0) return () => ({ found: [], silent: [] });
    const places = await Promise.all(
      configDirs.map(async (configDir) => ({ configDir, places: await searchTranscripts(configDir, ids, hints) })),
    );
    return (id) => ({
      found: places.flatMap(({ places: of }) => of.found.get(id) ?? []),
      silent: places.flatMap(({ configDir, places: of }) =>
        of.cause === undefined ? [] : [{ configDir, cause: of.cause }],
      ),
    });
  }

  private async look(
    session: Session,
    selection: RestoreSelection,
    { transcriptsOf, continuations }: Found,
  ): Promise<RestoreLooks> {
    const transcripts = transcriptsOf(session.id);
    const newest = transcripts.found.reduce<FoundTranscript | undefined>(
      (best, each) => (best === undefined || each.modifiedAt > best.modifiedAt ? each : best),
      undefined,
    );
    const folder = folderToResumeIn(session, selection);
    return {
      transcripts,
      folder: folder === undefined ? { kind: "gone" } : await this.lookAtFolder(folder),
      goesOn: newest === undefined ? { kind: "here" } : await continuations.of(newest),
    };
  }

  private async lookAtFolder(folder: string): Promise<FolderLook> {
    if (!isAbsolute(folder) || folder.includes("\0")) return { kind: "cannot-tell", cause: "it is no whole path" };
    try {
      const found = await this.folders.wait(() => stat(folder));
      return found.isDirectory() ? { kind: "there" } : { kind: "gone" };
    } catch (error) {
      const code = errorCode(error);
      if (code === "ENOENT" || code === "ENOTDIR") return { kind: "gone" };
      return { kind: "cannot-tell", cause: describeError(error) };
    }
  }

  private claimed(item: RestoreItem, { claim }: RestoreSelection, by: object): RestoreItem {
    if (item.outcome.kind !== "resume" || item.key === undefined) return item;
    const now = this.options.scheduler.now();
    for (const [id, { until }] of [...this.claims]) if (until <= now) this.claims.delete(id);
    if (this.claims.has(item.id))
      return {
        ...item,
        outcome: refusal("being-restored", "a window is restoring it right now", "look at its row in a moment"),
      };
    if (claim === true) this.claims.set(item.id, { by, until: now + claimMs });
    return item;
  }
}

interface Found {
  readonly transcriptsOf: (id: string) => TranscriptSearch;
  readonly continuations: Continuations;
}
