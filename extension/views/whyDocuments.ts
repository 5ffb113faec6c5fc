// Read-only documents that say why a row says what it says, kept true while they are open. While the agent answers
// they show the times of its latest looks; while it is gone, what was last heard, marked stale.
import { EventEmitter, Uri, window, workspace, type Disposable, type TextDocumentContentProvider } from "vscode";
import type { EpochMs, Scheduler } from "../../base/clock.ts";
import { describeError } from "../../base/errors.ts";
import type { Roster, Session } from "../../protocol/roster.ts";
import { whyText } from "../../protocol/whyText.ts";
import { lastRoster, type RosterState } from "../core/rosterState.ts";
import type { Surface } from "./painter.ts";

export const whyScheme = "rollcall-why";

export interface WhyDocumentsOptions {
  readonly state: () => RosterState;
  /** The agent's roster as of now; fails while it is gone. */
  readonly latest: () => Promise<Roster>;
  readonly scheduler: Scheduler;
  readonly log: { debug(message: string): void };
}

/** How old an open document may get while nothing changes. */
const renewMs = 10_000;

interface Shown {
  readonly session: Session | undefined;
  readonly kind: RosterState["kind"];
  readonly at: EpochMs;
}

export class WhyDocuments implements TextDocumentContentProvider, Surface, Disposable {
  private readonly changes = new EventEmitter<Uri>();
  readonly onDidChange = this.changes.event;
  private readonly options: WhyDocumentsOptions;
  private readonly registration: Disposable;
  private readonly shown = new Map<string, Shown>();

  constructor(options: WhyDocumentsOptions) {
    this.options = options;
    this.registration = workspace.registerTextDocumentContentProvider(whyScheme, this);
  }

  async open(session: Session): Promise<void> {
    const document = await workspace.openTextDocument(whyUri(session));
    await window.showTextDocument(document, { preview: true, preserveFocus: true });
  }

  draw(state: RosterState, now: EpochMs): void {
    const open = workspace.textDocuments.filter(({ uri, isClosed }) => uri.scheme === whyScheme && !isClosed);
    const names = new Set(open.map(({ uri }) => uri.toString()));
    for (const name of this.shown.keys()) if (!names.has(name)) this.shown.delete(name);
    for (const { uri } of open) {
      const before = this.shown.get(uri.toString());
      const session = findSession(lastRoster(state)?.roster, uri.query);
      const same = before?.session === session && before?.kind === state.kind;
      if (same && now - before.at < renewMs) continue;
      this.shown.set(uri.toString(), { session, kind: state.kind, at: now });
      this.changes.fire(uri);
    }
  }

  async provideTextDocumentContent(uri: Uri): Promise<string> {
    const state = this.options.state();
    const now = this.options.scheduler.now();
    if (state.kind === "live") {
      try {
        const roster = await this.options.latest();
        const session = findSession(roster, uri.query);
        if (session !== undefined) return whyText(session, { now, sources: roster.sources });
      } catch (error) {
        this.options.log.debug(`why shows what was heard last: ${describeError(error)}`);
      }
    }
    return lastHeardText(state, uri.query, now);
  }

  dispose(): void {
    this.registration.dispose();
    this.changes.dispose();
  }
}

function lastHeardText(state: RosterState, key: string, now: EpochMs): string {
  const last = lastRoster(state);
  const session = findSession(last?.roster, key);
  if (last === undefined || session === undefined) {
    return `No roster that this window has heard holds the session ${key}.\n`;
  }
  const { sources } = last.roster;
  if (state.kind === "live") return whyText(session, { now, sources });
  const cause = state.kind === "gone" ? state.cause : "not connected yet";
  return whyText(session, { now, sources, agentGone: { lastHeardAt: last.heardAt, cause } });
}

function findSession(roster: Roster | undefined, key: string): Session | undefined {
  return roster?.sessions.find((session) => session.key === key);
}

/** The title is for the tab; the key in the query says which session. */
function whyUri(session: Session): Uri {
  const name = session.title
    .replace(/[^\p{L}\p{N} ._-]+/gu, " ")
    .trim()
    .slice(0, 40);
  return Uri.from({ scheme: whyScheme, path: `/Why: ${name === "" ? session.id : name}`, query: session.key });
}
