// How one session is resumed: from the transcript that lies on disk, in the folder that it began in, with the config
// folder that it belongs to, and where it ran. Nothing here looks at the disk: what was found is handed in, and a look
// that failed is a refusal with its cause. Which sessions come so far is `restoreCandidates.ts`.
import { unreachable } from "../../base/errors.ts";
import type { Cause } from "../../protocol/observation.ts";
import type { RestoreItem, RestoreRefusal, RestoreSelection, Resume } from "../../protocol/restore.ts";
import type { Roster, Session } from "../../protocol/roster.ts";
import { refusal, type RestoreCandidate } from "./restoreCandidates.ts";
import { sandboxEntry, type Start } from "./sandboxEntry.ts";

export type FolderLook =
  { readonly kind: "there" } | { readonly kind: "gone" } | { readonly kind: "cannot-tell"; readonly cause: Cause };

export interface FoundTranscript {
  readonly path: string;
  readonly configDir: string;
  readonly modifiedAt: number;
}

export interface TranscriptSearch {
  /** Those that are named after the session, in any config folder that somebody named to Rollcall. */
  readonly found: readonly FoundTranscript[];
  readonly silent: readonly { readonly configDir: string; readonly cause: Cause }[];
}

/** Whether another conversation began as a copy of this one, to which nothing was added since. */
export type GoesOn =
  | { readonly kind: "here" }
  | { readonly kind: "as"; readonly id: string }
  | { readonly kind: "cannot-tell"; readonly cause: Cause };

export interface RestoreLooks {
  readonly transcripts: TranscriptSearch;
  /** The folder of `folderToResumeIn`. */
  readonly folder: FolderLook;
  readonly goesOn: GoesOn;
}

export interface RestoreSurroundings {
  readonly roster: Roster;
  readonly selection: RestoreSelection;
  /** The config folder that the agent takes where no variable names one; undefined where none is that. */
  readonly defaultConfigDir: string | undefined;
  /** Config folders that somebody named: what lies in them may be run. */
  readonly namedConfigDirs: readonly string[];
  /** The sandbox in which Rollcall itself runs. */
  readonly ownSandbox: string | undefined;
}

/** The first folder that its transcript tells, from which alone older agents find it. */
export function folderToResumeIn({ startCwd, cwd }: Session, selection: RestoreSelection): string | undefined {
  return selection.cwd ?? startCwd ?? cwd ?? undefined;
}

export function restoreItem(
  candidate: RestoreCandidate,
  looks: RestoreLooks | undefined,
  around: RestoreSurroundings,
): RestoreItem {
  const { session } = candidate;
  const outcome =
    candidate.kind === "refused" ? candidate.refusal : planned(candidate.session, looks ?? notLooked, around);
  return {
    ...(session === undefined ? {} : { key: session.key }),
    id: session?.id ?? (candidate.kind === "refused" ? candidate.asked : ""),
    sandbox: session?.sandbox ?? null,
    title: session?.title ?? (candidate.kind === "refused" ? candidate.asked : ""),
    outcome,
  };
}

/** One conversation that is recorded in two places is resumed in the first of them. */
export function oneForEachConversation(items: readonly RestoreItem[]): readonly RestoreItem[] {
  const firsts = new Map<string, RestoreItem>();
  return items.map((item) => {
    if (item.outcome.kind !== "resume") return item;
    const first = firsts.get(item.id);
    if (first === undefined) {
      firsts.set(item.id, item);
      return item;
    }
    const says = `the same conversation is restored already, as it is recorded in ${first.sandbox ?? "no sandbox"}`;
    return { ...item, outcome: refusal("being-restored", says, "name its sandbox to have it there instead") };
  });
}

function planned(session: Session, looks: RestoreLooks, around: RestoreSurroundings): Resume | RestoreRefusal {
  const { roster, selection } = around;
  const other = looks.goesOn.kind === "as" ? looks.goesOn.id : ownerOfTranscript(session, looks, roster);
  if (other !== undefined && selection.force !== true)
    return refusal(
      "resumed-as",
      `it was resumed before, and goes on as ${other}`,
      `restore that one, or say --force to go back to where this one ended`,
    );
  const sandbox = session.sandbox === null ? undefined : roster.sandboxes.find(({ name }) => name === session.sandbox);
  const entry =
    session.sandbox === null || session.sandbox === around.ownSandbox || session.sandboxDerived === true
      ? undefined
      : sandboxEntry(session.sandbox, sandbox);
  if (entry?.kind === "stopped")
    return refusal(
      "sandbox-stopped",
      `its sandbox ${session.sandbox ?? ""} is ${entry.state === "unknown" ? "in an unknown state" : entry.state}`,
      "start the sandbox, then restore again",
    );
  const folder = folderToResumeIn(session, selection);
  if (folder === undefined)
    return refusal("folder-unknown", "no source tells the folder that it began in", "say one with --cwd");
  if (entry?.kind === "enter") return entered(session, entry.wrap, folder);
  const transcript = newest(looks.transcripts.found);
  if (transcript === undefined) return withoutTranscript(session, looks.transcripts, around.namedConfigDirs);
  const elsewhere = folderRefusal(folder, looks.folder);
  if (elsewhere !== undefined) return elsewhere;
  return {
    kind: "resume",
    argv: resumeArguments(session),
    cwd: folder,
    env: { CLAUDE_CONFIG_DIR: transcript.configDir === around.defaultConfigDir ? null : transcript.configDir },
    inSandbox: null,
    notes: [...(entry === undefined ? [] : [entry.note]), ...doubts(looks.goesOn)],
  };
}

function doubts(goesOn: GoesOn): readonly string[] {
  return goesOn.kind === "cannot-tell"
    ? [`whether it was resumed under another id since cannot be told: ${goesOn.cause}`]
    : [];
}

function resumeArguments({ id }: Session): string[] {
  return ["claude", "--resume", id];
}

/** Inside, its files are where they were; what of them can be seen from here proves nothing. */
function entered(session: Session, wrap: (start: Start) => readonly string[], folder: string): Resume {
  return {
    kind: "resume",
    argv: [...wrap({ argv: resumeArguments(session), cwd: folder, env: {} })],
    cwd: null,
    env: {},
    inSandbox: session.sandbox,
    notes: [],
  };
}

function folderRefusal(folder: string, look: FolderLook): RestoreRefusal | undefined {
  switch (look.kind) {
    case "there":
      return undefined;
    case "gone":
      return refusal(
        "folder-gone",
        `the folder it began in is gone: ${folder}`,
        "make that folder again, or say another one with --cwd",
      );
    case "cannot-tell":
      return refusal(
        "folder-unknown",
        `the folder ${folder} cannot be looked at: ${look.cause}`,
        "make it readable, or say another one with --cwd",
      );
    default:
      return unreachable(look);
  }
}

function withoutTranscript(session: Session, { silent }: TranscriptSearch, named: readonly string[]): RestoreRefusal {
  const [first] = silent;
  if (first !== undefined)
    return refusal(
      "transcript-unknown",
      `its transcript was not found, and ${first.configDir} cannot be searched: ${first.cause}`,
      "try again when that folder can be read",
    );
  const untrusted = configDirOf(session);
  if (untrusted !== undefined && !named.includes(untrusted))
    return refusal(
      "transcript-untrusted",
      `its transcript is said to lie in ${untrusted}, which is none of the config folders that you named`,
      "where you trust the settings in it, add that folder to ROLLCALL_CONFIG_DIRS or to the setting rollcall.configDirs",
    );
  return refusal(
    "no-transcript",
    "no config folder has a transcript of it, so there is nothing to go on from",
    "forget it, or mark it as departed, where it was never used",
  );
}

/** What a registry says of a place is a hint: whoever can write the registry would else choose the settings that run. */
function configDirOf({ transcript }: Session): string | undefined {
  return transcript === undefined
    ? undefined
    : /^(.+)[\\/]projects[\\/][^\\/]+[\\/][^\\/]+\.jsonl$/.exec(transcript)?.[1];
}

/** A registry that knows an older id beside the transcript of a newer one. */
function ownerOfTranscript(
  { id, transcript }: Session,
  { transcripts }: RestoreLooks,
  { sessions }: Roster,
): string | undefined {
  const name = transcript === undefined ? undefined : /([^\\/]+)\.jsonl$/.exec(transcript)?.[1];
  if (name === undefined || name === id || transcripts.found.length > 0) return undefined;
  return sessions.some((session) => session.id === name) ? name : undefined;
}

/** Of two places the one that grew last. */
function newest(found: readonly FoundTranscript[]): FoundTranscript | undefined {
  return [...found].sort((a, b) => b.modifiedAt - a.modifiedAt)[0];
}

const notLooked: RestoreLooks = {
  transcripts: { found: [], silent: [] },
  folder: { kind: "cannot-tell", cause: "it was not looked at" },
  goesOn: { kind: "here" },
};
