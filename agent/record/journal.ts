// The registry's journal: each content that was read whole, ours and other writers', with its bytes; what another
// writer dropped; the intents that wait. Every reader and every write of ours passes through it: what stands in the
// file is noted where it is read, what we are about to write is announced before. It lies in the data folder, out of
// the way of whoever writes the registry. What follows from its lines is `core/journalState.ts`.
import { sha256 as digestOf } from "../../base/node/digest.ts";
import { lstat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { Emitter } from "../../base/emitter.ts";
import { isRollcallError, rollcallError, type RollcallError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { generationTime, listGenerations } from "../../base/node/generations.ts";
import { parseBytes, type Parse, type WholeCopies, type WholeRead } from "../../base/node/guardedLoad.ts";
import { fileIdentity, readBounded } from "../../base/node/readBounded.ts";
import { generationLine, lostLine } from "../core/journalGeneration.ts";
import {
  untoldIncident,
  type Announced,
  type Generation,
  type JournalLine,
  type JournalState,
} from "../core/journalState.ts";
import { isFull, type KeptIntent, type SettledIntent } from "../core/keptIntents.ts";
import type { RegistryIntent } from "../core/registryChange.ts";
import { entriesOf, noEntries, type Entries, type EntryName } from "../core/registryDifference.ts";
import type { FormerEntry } from "../core/registryRestore.ts";
import { parseRegistry, type RegistryDocument } from "../core/registryDocument.ts";
import { contentHash, JournalContents } from "./journalContents.ts";
import { folderOf, howItWasLost } from "./lostContent.ts";
import { journalFault, JournalLog } from "./journalLog.ts";

export type JournalErrorKind = "journal-not-written" | "intents-full";
export type JournalError = RollcallError<JournalErrorKind>;

/** A journal has a folder of its own for each registry. */
export interface JournalOptions {
  readonly path: string;
  /** The folder of all journals. */
  readonly folder: string;
  readonly now: () => number;
}

/** Of more files than these none is read: each may cost its deadline. */
const mostTried = 3;

export class RegistryJournal implements WholeCopies<unknown> {
  readonly folder: string;
  private readonly path: string;
  private readonly now: () => number;
  private readonly log: JournalLog;
  private readonly contents: JournalContents;
  /** What was last seen to stand in the file, also where its bytes cannot be kept. */
  private base: { readonly sha256: string; readonly text: string } | undefined;
  /** The file was read whole just now, and what it holds is noted. */
  readonly wholeReads = new Emitter<undefined>(() => undefined);
  /** The folder in which it was read. */
  private folderSeen: string | undefined;
  /** Why what was last to be noted could not be. */
  fault: string | undefined;

  constructor({ path, folder, now }: JournalOptions) {
    this.path = path;
    this.now = now;
    this.folder = join(folder, digestOf(resolve(path), "hex").slice(0, 24));
    this.log = new JournalLog(this.folder);
    this.contents = new JournalContents(join(this.folder, "contents"));
  }

  /** As of the last time that anything was noted or read. */
  get state(): JournalState {
    return this.log.state;
  }

  get damagedLines(): number {
    return this.log.damagedLines;
  }

  /** Reads what other processes wrote. @throws JournalError where there is a journal that cannot be read */
  async read(): Promise<JournalState> {
    try {
      return await this.log.refresh();
    } catch (error) {
      throw this.notWritten(error);
    }
  }

  /** What was the last thing said of the file, so that what is read after it is known to be newer. */
  async before(): Promise<Since> {
    return sinceOf(await this.log.refresh().catch(() => this.state));
  }

  /** Notes what was read whole of the file; `fault` says where that could not be written down. */
  async keep(
    _path: string,
    read: Pick<WholeRead<unknown>, "text" | "identity" | "since">,
  ): Promise<"kept" | "overtaken"> {
    const { text } = read;
    const sha256 = contentHash(text);
    const outcome: { kind: "kept" | "overtaken" } = { kind: "kept" };
    const seen = async (state: JournalState): Promise<readonly JournalLine[]> => {
      if (isSettled(state, sha256)) return [];
      if (isNewer(read.since, state) || (await this.stillStands(read.identity))) return this.seen(sha256, text);
      outcome.kind = "overtaken";
      return [];
    };
    try {
      const state = await this.log.refresh().catch(() => undefined);
      if (state === undefined || this.fault !== undefined || !isSettled(state, sha256))
        await this.log.add(seen, this.keptAnyway);
      this.fault = undefined;
    } catch (error) {
      this.fault = journalFault(this.folder, error);
    }
    if (outcome.kind === "overtaken") return "overtaken";
    this.base = { sha256, text };
    this.folderSeen = await folderOf(this.path).catch(() => undefined);
    this.wholeReads.fire(undefined);
    return "kept";
  }

  /** What was announced stands there, or stood there for a moment. */
  async wrote(text: string): Promise<void> {
    const sha256 = contentHash(text);
    try {
      await this.log.add(
        (state) => (state.announced?.sha256 === sha256 ? this.seen(sha256, text) : []),
        this.keptAnyway,
      );
      this.base = { sha256, text };
    } catch (error) {
      this.fault = journalFault(this.folder, error);
    }
  }

  /** It could not be read: where it is plain that what it had is gone, that is dropped. */
  async missed(): Promise<void> {
    try {
      const state = await this.log.refresh().catch(() => this.state);
      const last = state.generations.at(-1);
      if (last === undefined || state.lost !== undefined) return;
      const folder = this.folderSeen ?? last.folder;
      const question = { path: this.path, folder, now: this.now() };
      if ((await howItWasLost(question)) === undefined) return;
      await this.log.add(async (now) => {
        // Somebody else may just have written it, or said so.
        const how = now.lost === undefined ? await howItWasLost(question) : undefined;
        if (how === undefined || now.generations.at(-1)?.n !== last.n) return [];
        return [lostLine(now, this.now(), how, await this.entriesOfGeneration(last))];
      }, this.keptAnyway);
    } catch (error) {
      this.fault = journalFault(this.folder, error);
    }
  }

  /** Whether a person is to be told of what another writer dropped: one of those who ask, once. @throws JournalError */
  async tellOfDrops(): Promise<{ readonly incident: number; readonly sessions: number } | undefined> {
    let untold: { readonly incident: number; readonly sessions: number } | undefined;
    try {
      if (untoldIncident(await this.log.refresh()) === undefined) return undefined;
      await this.log.add((state) => {
        untold = untoldIncident(state);
        return untold === undefined ? [] : [{ kind: "told", at: this.now(), incident: untold.incident }];
      });
      return untold;
    } catch (error) {
      throw this.notWritten(error);
    }
  }

  /**
   * Says what is about to be written, so that whoever finds it there knows that it is ours.
   * @throws JournalError; it must not be written then
   */
  async announce(text: string, said: Omit<Announced, "at" | "sha256">): Promise<void> {
    const sha256 = contentHash(text);
    try {
      await this.log.add(
        async () => {
          await this.contents.keep(sha256, text);
          return [{ kind: "announced", at: this.now(), sha256, ...said }];
        },
        { onBounded: this.dropContents },
      );
    } catch (error) {
      throw this.notWritten(error);
    }
  }

  /** The newest content that was read whole, or kept beside the file, and has its shape still. */
  async newest<T>(_path: string, parse: Parse<T>): Promise<{ readonly value: T; readonly asOf: number } | undefined> {
    await this.log.refresh().catch(() => undefined);
    const noted = [...this.state.generations].reverse().map(({ sha256, at }) => ({
      asOf: at,
      text: () => this.contents.read(sha256),
    }));
    const candidates = [...noted.slice(0, mostTried), ...(await this.besideTheFile())];
    for (const { text, asOf } of candidates.slice(0, 2 * mostTried)) {
      const found = await text();
      const parsed = found === undefined ? undefined : parse(found);
      if (parsed?.kind === "parsed") return { value: parsed.document, asOf };
    }
    return undefined;
  }

  generation(n: number): Generation | undefined {
    return this.state.generations.find((generation) => generation.n === n);
  }

  /** Its text, where the bytes are still there. */
  textOf({ sha256 }: Pick<Generation, "sha256">): Promise<string | undefined> {
    return this.contents.read(sha256);
  }

  contentFile({ sha256 }: Pick<Generation, "sha256">): string {
    return this.contents.fileOf(sha256);
  }

  /** A session's last text, in each sandbox in which the newest generation that has it has it; none where no one does. */
  async lastEntries(id: string, sandbox: string | undefined): Promise<readonly FormerEntry[]> {
    const { generations } = await this.read();
    for (const generation of [...generations].reverse()) {
      const found = [...(await this.entriesOfGeneration(generation)).values()].filter(
        (each) => each.id === id && (sandbox ?? each.sandbox) === each.sandbox,
      );
      if (found.length > 0) return found.map(({ entry, ...name }) => ({ ...name, members: entry.members }));
    }
    return [];
  }

  /** Keeps what could not be written. @returns the intent's number; @throws JournalError */
  async keepIntent(intent: RegistryIntent, at: number, cause: string): Promise<number> {
    let n = 0;
    try {
      await this.log.add((state) => {
        const full = isFull(state.intents, intent);
        if (full !== undefined) throw rollcallError<JournalErrorKind>("intents-full", full);
        n = state.lastIntent + 1;
        return [{ kind: "kept", intent: { n, at, cause, intent } }];
      });
    } catch (error) {
      if (isRollcallError(error) && error.kind === "intents-full") throw error;
      throw this.notWritten(error);
    }
    return n;
  }

  /** @throws JournalError */
  async settle(settled: readonly SettledIntent[]): Promise<void> {
    if (settled.length > 0) await this.append({ kind: "settled", settled });
  }

  /** @returns the intent that does not wait any more; undefined where none of that number did; @throws JournalError */
  async cancelIntent(n: number): Promise<KeptIntent | undefined> {
    const open = (await this.read()).intents.find((intent) => intent.n === n);
    if (open !== undefined) await this.settle([{ n, at: this.now(), how: "cancelled", says: "by a person" }]);
    return open;
  }

  /** A person takes these drops for what was meant. @throws JournalError */
  async accept(entries: readonly EntryName[]): Promise<void> {
    await this.append({ kind: "accepted", at: this.now(), entries });
  }

  private async append(line: JournalLine): Promise<void> {
    try {
      await this.log.add(() => [line]);
    } catch (error) {
      throw this.notWritten(error);
    }
  }

  private async stillStands(identity: string): Promise<boolean> {
    const standing = await lstat(this.path).catch(() => undefined);
    return standing !== undefined && fileIdentity(standing) === identity;
  }

  /** What there is to say of a content that follows the last one. */
  private async seen(sha256: string, text: string): Promise<readonly JournalLine[]> {
    const { state } = this;
    const document = documentOf(text);
    if (document === undefined) return [];
    const last = state.generations.at(-1);
    const earlier =
      last === undefined
        ? await this.adopted(text)
        : { lines: [], n: state.lastGeneration, entries: await this.entriesOfGeneration(last) };
    const after = entriesOf(document);
    const line = generationLine(state, {
      n: earlier.n + 1,
      at: this.now(),
      sha256,
      bytes: Buffer.byteLength(text),
      folder: await folderOf(this.path).catch(() => undefined),
      before: earlier.entries,
      after,
      isFirst: last === undefined,
    });
    await this.contents.keep(sha256, text).catch((error: unknown) => {
      this.fault = journalFault(this.folder, error);
    });
    return [...earlier.lines, line];
  }

  /** What was kept beside the file before there was a journal. Who wrote it, and what was forgotten in between, nobody knows. */
  private async adopted(now: string): Promise<Earlier> {
    const lines: JournalLine[] = [];
    let before: Entries = noEntries;
    for (const { text, asOf } of [...(await this.besideTheFile(limits.registryGenerations))].reverse()) {
      const found = await text();
      const document = found === undefined ? undefined : documentOf(found);
      if (found === undefined || document === undefined || found === now) continue;
      const sha256 = contentHash(found);
      await this.contents.keep(sha256, found);
      const after = entriesOf(document);
      const n = lines.length + 1;
      const bytes = Buffer.byteLength(found);
      lines.push(
        generationLine(this.state, { n, at: asOf, sha256, bytes, folder: undefined, before, after, isFirst: true }),
      );
      before = after;
    }
    return { lines, n: lines.length, entries: before };
  }

  /** Newest first. */
  private async besideTheFile(
    most = mostTried,
  ): Promise<readonly { readonly asOf: number; readonly text: () => Promise<string | undefined> }[]> {
    try {
      const files = (await listGenerations(this.path)).slice(-most).reverse();
      return files.map((file) => ({ asOf: generationTime(basename(file)), text: () => wholeText(file) }));
    } catch {
      // A folder that cannot be read keeps what is in it to itself; that the file is torn is told all the same.
      return [];
    }
  }

  private async entriesOfGeneration(generation: Generation): Promise<Entries> {
    const { sha256 } = generation;
    const text = this.base?.sha256 === sha256 ? this.base.text : await this.contents.read(sha256);
    const document = text === undefined ? undefined : documentOf(text);
    return document === undefined ? noEntries : entriesOf(document);
  }

  private readonly dropContents = async (state: JournalState): Promise<void> => {
    const spokenOf = state.generations.map(({ sha256 }) => sha256);
    await this.contents.dropAllBut(
      new Set([...spokenOf, ...(state.announced === undefined ? [] : [state.announced.sha256])]),
    );
  };

  private readonly keptAnyway = { isKeptAnyway: true, onBounded: this.dropContents };

  private notWritten(error: unknown): JournalError {
    return rollcallError(
      "journal-not-written",
      `${journalFault(this.folder, error)}, so nothing was written; make room or make it writable, then try again`,
      error,
    );
  }
}

interface Earlier {
  readonly lines: readonly JournalLine[];
  /** The last generation's number. */
  readonly n: number;
  readonly entries: Entries;
}

interface Since {
  readonly generation: number;
  readonly announcedAt: number;
  readonly lostAt: number;
}

function sinceOf({ lastGeneration, announced, lost }: JournalState): Since {
  return { generation: lastGeneration, announcedAt: announced?.at ?? 0, lostAt: lost?.at ?? 0 };
}

/** Nothing was said of the file while it was read. */
function isNewer(since: unknown, state: JournalState): boolean {
  const { generation, announcedAt, lostAt } = sinceOf(state);
  const then = since as Partial<Since> | undefined;
  return then?.generation === generation && then.announcedAt === announcedAt && then.lostAt === lostAt;
}

/** There is nothing more to say of that content. */
function isSettled({ generations, announced, lost }: JournalState, sha256: string): boolean {
  return generations.at(-1)?.sha256 === sha256 && announced?.sha256 !== sha256 && lost === undefined;
}

function documentOf(text: string): RegistryDocument | undefined {
  const parsed = parseRegistry(text);
  return parsed.kind === "parsed" ? parsed.document : undefined;
}

async function wholeText(file: string): Promise<string | undefined> {
  const read = await readBounded(file, limits.registryBytes, limits.fileReadDeadlineMs);
  const parsed = read.kind === "read" ? parseBytes(read.bytes, parseRegistry) : undefined;
  return parsed?.kind === "parsed" ? parsed.text : undefined;
}
