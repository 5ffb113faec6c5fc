// Which sessions a restore is about, and which of them may not be resumed, by what the roster says: one that lives, or
// of which nothing can tell whether it does, is never started a second time. What is found on disk of the others is
// `restore.ts`' business.
import type { Roster, Session, SourceState } from "../../protocol/roster.ts";
import type { RefusalKind, RestoreRefusal, RestoreSelection } from "../../protocol/restore.ts";
import { findSessions } from "../../protocol/sessionNames.ts";

export type RestoreCandidate =
  | { readonly kind: "candidate"; readonly session: Session }
  | {
      readonly kind: "refused";
      readonly session: Session | undefined;
      readonly asked: string;
      readonly refusal: RestoreRefusal;
    };

/** Begins with a letter or a digit, so that it is never an option of a program nor a way out of a folder. */
const resumableId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

const settledKinds: ReadonlySet<RefusalKind> = new Set(["live", "being-restored", "departed", "rotated", "resumed-as"]);

export function refusal(why: RefusalKind, says: string, next: string): RestoreRefusal {
  return { kind: "refused", why, says, next, settled: settledKinds.has(why) };
}

export function restoreCandidates(roster: Roster, selection: RestoreSelection): readonly RestoreCandidate[] {
  const judge = (session: Session, isNamed: boolean): RestoreCandidate => {
    const refused = refusalOf(roster, session, { isNamed, force: selection.force === true });
    return refused === undefined
      ? { kind: "candidate", session }
      : { kind: "refused", session, asked: session.id, refusal: refused };
  };
  const inSandbox = ({ sandbox }: Session): boolean => selection.sandbox === undefined || sandbox === selection.sandbox;
  const named = selection.sessions ?? [];
  if (named.length > 0) {
    const within = roster.sessions.filter(inSandbox);
    const found = new Set<Session>();
    return named.flatMap((asked): readonly RestoreCandidate[] => {
      const [session, ...others] = findSessions(within, asked);
      if (session === undefined || others.length > 0) return [unnamed(asked, [session, ...others], selection.sandbox)];
      if (found.has(session)) return [];
      found.add(session);
      return [judge(session, true)];
    });
  }
  if (selection.sandbox !== undefined && !isKnown(roster, selection.sandbox))
    return [
      {
        kind: "refused",
        session: undefined,
        asked: selection.sandbox,
        refusal: refusal(
          "unknown-session",
          "no sandbox of this name is known",
          '"rollcall registry show" lists those that are recorded',
        ),
      },
    ];
  // A wave brings back what was there: what departed left for good.
  const wave = roster.sessions.filter(
    (session) => session.registry.recorded && session.registry.departedAt === undefined && inSandbox(session),
  );
  return wave.map((session) => judge(session, false));
}

function isKnown({ sandboxes, sessions }: Roster, name: string): boolean {
  return sandboxes.some((sandbox) => sandbox.name === name) || sessions.some(({ sandbox }) => sandbox === name);
}

function unnamed(
  asked: string,
  [first, ...others]: readonly (Session | undefined)[],
  sandbox: string | undefined,
): RestoreCandidate {
  const where = sandbox === undefined ? "" : ` of ${sandbox}`;
  if (first === undefined)
    return {
      kind: "refused",
      session: undefined,
      asked,
      refusal: refusal(
        "unknown-session",
        `no session${where} matches it`,
        '"rollcall ls --all" lists those that are known',
      ),
    };
  const keys = [first, ...others].flatMap((session) => session?.key ?? []).slice(0, 10);
  return {
    kind: "refused",
    session: undefined,
    asked,
    refusal: refusal(
      "ambiguous",
      `it names ${others.length + 1} sessions`,
      `say its sandbox with --sandbox, or give one of these keys: ${keys.join(", ")}`,
    ),
  };
}

interface Judging {
  readonly isNamed: boolean;
  readonly force: boolean;
}

function refusalOf(roster: Roster, session: Session, { force }: Judging): RestoreRefusal | undefined {
  const { id, liveness, registry } = session;
  if (!resumableId.test(id) || id.startsWith("proc:"))
    return refusal("bad-id", "its id is none that can be resumed", 'look at where it comes from with "rollcall why"');
  const living = livingOf(roster, session);
  if (living !== undefined) return living;
  if (registry.departedAt !== undefined)
    return refusal(
      "departed",
      `it departed at ${registry.departedAt}`,
      `a session that left is not brought back; "rollcall registry put" records it again`,
    );
  if (liveness.how === "rotated")
    return refusal("rotated", "its process went on with another conversation", "restore that one");
  const unknown = force ? undefined : whyUnknown(roster, session);
  if (unknown === undefined) return undefined;
  return refusal(
    "liveness-unknown",
    `nothing can tell whether it runs: ${unknown}`,
    "try again when that answers, or say --force where you know that it does not run",
  );
}

/** A process that holds the conversation, in this row or in another one of the same id. */
function livingOf({ sessions }: Roster, session: Session): RestoreRefusal | undefined {
  const same = sessions.filter(({ id, liveness }) => id === session.id && liveness.kind === "live");
  const live = same.find(({ key }) => key === session.key) ?? same[0];
  if (live === undefined) return undefined;
  const by = live.pid === undefined ? "" : `: process ${live.pid}`;
  const stale = live.liveness.stale
    ? `, as of ${live.liveness.asOf}; ${live.liveness.source} does not answer since`
    : "";
  return refusal("live", `it runs already${by}${stale}`, "go to its terminal");
}

/** The source that would have to answer first; undefined where all of them did. */
function whyUnknown(roster: Roster, session: Session): string | undefined {
  const silent = roster.sources.find((source) => source.state === "unobserved" && isNeeded(source, session));
  if (silent !== undefined) return `${silent.id} does not answer (${silent.cause ?? "no cause was given"})`;
  const { liveness, sandbox: name } = session;
  if (liveness.kind === "ended") return undefined;
  if (liveness.stale) return `${liveness.source} last answered at ${liveness.asOf}`;
  if (liveness.source.startsWith("pid-records:"))
    return "its record is of a place whose processes cannot be seen from here";
  const sandbox = roster.sandboxes.find((each) => each.name === name);
  if (sandbox !== undefined && !isSeenFromHere(sandbox.adapter) && !isOff(sandbox.state))
    return `the sandbox ${sandbox.name} is ${sandbox.state === "unknown" ? "in an unknown state" : sandbox.state}, and nothing told of the sessions in it`;
  const nameless = roster.sessions.find((other) => isNameless(other) && mayBe(other, session));
  return nameless === undefined
    ? undefined
    : `process ${nameless.pid ?? nameless.id} runs in its folder, and which conversation it holds is not known`;
}

function isNeeded({ id }: SourceState, { configDir, evidence }: Session): boolean {
  if (id.startsWith("registry:")) return evidence.some(({ source }) => source === id);
  return ["process-table", "proc", "registry", `pid-records:${configDir}`].includes(id);
}

/** Its processes would be in this host's own table. */
function isSeenFromHere(adapter: string): boolean {
  return ["registry", "proc", "bubblewrap", "unshare", "namespace"].includes(adapter);
}

function isOff(state: string): boolean {
  return state === "stopped" || state === "suspended" || state === "failed";
}

function isNameless({ id, liveness }: Session): boolean {
  return id.startsWith("proc:") && liveness.kind === "live";
}

function mayBe(process: Session, session: Session): boolean {
  const folders = [session.startCwd, session.cwd].filter((folder) => folder !== null);
  return process.cwd === null ? process.configDir === session.configDir : folders.includes(process.cwd);
}
