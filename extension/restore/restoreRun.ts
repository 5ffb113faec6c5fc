// One restore from the wish to its summary: what would be done is shown and asked for, what is done is claimed with the
// agent first, so that no other window starts the same, and each session tells what became of it.
import { ProgressLocation, Uri, window, type CancellationToken, type LogOutputChannel } from "vscode";
import { describeError } from "../../base/errors.ts";
import type { RestorePlan, RestoreSelection } from "../../protocol/restore.ts";
import {
  refusalsOf,
  restoreQuestion,
  restoreSummary,
  resumesOf,
  type RestoredSession,
  type ResumeItem,
} from "../core/restoreWords.ts";
import { parentFolder } from "../core/folders.ts";
import { lastRoster, type RosterState } from "../core/rosterState.ts";
import type { RestoreTerminals } from "./restoreTerminals.ts";

export interface RestoreRunOptions {
  readonly state: () => RosterState;
  readonly plan: (selection: RestoreSelection) => Promise<RestorePlan>;
  /** Of what was claimed with a plan. */
  readonly release: (ids: readonly string[]) => Promise<unknown>;
  readonly terminals: Pick<RestoreTerminals, "start">;
  readonly log: LogOutputChannel;
}

/** Each start reads a transcript and asks a server. */
const atOnce = 2;

export class RestoreRun {
  private readonly options: RestoreRunOptions;

  constructor(options: RestoreRunOptions) {
    this.options = options;
  }

  async restore(selection: RestoreSelection): Promise<void> {
    if (this.options.state().kind !== "live") {
      void window.showInformationMessage(
        "The agent is away, and it alone can tell what runs already. It is started again by itself; try again then.",
      );
      return;
    }
    const plan = await window.withProgress(
      { location: ProgressLocation.Window, title: "Looking what can be restored" },
      () => this.options.plan(selection),
    );
    const homeless = homelessIn(selection, plan);
    if (homeless !== undefined) return this.restoreElsewhere(selection, homeless);
    const resumes = resumesOf(plan.sessions);
    const refused = refusalsOf(plan.sessions);
    if (resumes.length === 0) {
      this.tell(refused);
      return;
    }
    const asked = restoreQuestion(plan.sessions);
    if (asked !== undefined) {
      const { question, detail } = asked;
      if ((await window.showWarningMessage(question, { modal: true, detail }, "Restore")) !== "Restore") return;
    }
    const results = await window.withProgress(
      {
        location: ProgressLocation.Notification,
        title: resumes.length === 1 ? "Restoring a session" : `Restoring ${resumes.length} sessions`,
        cancellable: true,
      },
      (progress, token) => this.carryOut(selection, resumes, { progress, token }),
    );
    this.tell([...results, ...refused]);
  }

  /** The plan is made anew as it is claimed: what was asked for may run by now. */
  private async carryOut(
    selection: RestoreSelection,
    wanted: readonly ResumeItem[],
    { progress, token }: CarryOut,
  ): Promise<readonly RestoredSession[]> {
    const keys = wanted.flatMap(({ key }) => key ?? []);
    const claimed = await this.options.plan({ ...selection, all: undefined, sessions: keys, claim: true });
    const resumes = resumesOf(claimed.sessions);
    const results: RestoredSession[] = [...refusalsOf(claimed.sessions)];
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < resumes.length) {
        const item = resumes[next];
        next += 1;
        if (item === undefined) return;
        progress.report({ message: item.title });
        results.push({ item, result: await this.startOne(item, token) });
        progress.report({ increment: 100 / resumes.length });
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, resumes.length) }, worker));
    return results;
  }

  private async startOne(item: ResumeItem, token: CancellationToken): Promise<RestoredSession["result"]> {
    try {
      return token.isCancellationRequested ? { kind: "cancelled" } : await this.options.terminals.start(item, token);
    } catch (error) {
      return { kind: "failed", cause: `no terminal could be opened: ${describeError(error)}` };
    } finally {
      await this.options.release([item.id]).catch((error: unknown) => this.options.log.warn(describeError(error)));
    }
  }

  /** A single session whose folder is gone may be resumed in another one. */
  private async restoreElsewhere(selection: RestoreSelection, { key, title, says }: Homeless): Promise<void> {
    const choose = "Choose Folder...";
    if ((await window.showWarningMessage(`"${title}": ${says}.`, choose)) !== choose) return;
    const [folder] =
      (await window.showOpenDialog({
        canSelectFiles: false,
        canSelectFolders: true,
        openLabel: "Resume Here",
        title: `Folder to resume "${title}" in`,
        ...this.nearby(key),
      })) ?? [];
    if (folder !== undefined) await this.restore({ ...selection, sessions: [key], cwd: folder.fsPath });
  }

  /** Where its folder was. */
  private nearby(key: string): { readonly defaultUri?: Uri } {
    const session = lastRoster(this.options.state())?.roster.sessions.find((each) => each.key === key);
    const parent = parentFolder(session?.startCwd ?? session?.cwd ?? "");
    return parent === undefined ? {} : { defaultUri: Uri.file(parent) };
  }

  private tell(results: readonly RestoredSession[]): void {
    const { severity, message, lines } = restoreSummary(results);
    for (const line of lines) this.options.log.info(`restore: ${line}`);
    const show = severity === "warning" ? window.showWarningMessage : window.showInformationMessage;
    const details = results.length > 1 ? ["Show Details"] : [];
    void show(message, ...details).then((chosen) => {
      if (chosen !== undefined) this.options.log.show(true);
    });
  }
}

interface CarryOut {
  readonly progress: { report(value: { readonly message?: string; readonly increment?: number }): void };
  readonly token: CancellationToken;
}

interface Homeless {
  readonly key: string;
  readonly title: string;
  readonly says: string;
}

function homelessIn(selection: RestoreSelection, { sessions }: RestorePlan): Homeless | undefined {
  const [item] = sessions;
  if (selection.sessions === undefined || selection.cwd !== undefined || sessions.length !== 1) return undefined;
  if (item?.key === undefined || item.outcome.kind !== "refused") return undefined;
  const { why, says } = item.outcome;
  return why === "folder-gone" || why === "folder-unknown" ? { key: item.key, title: item.title, says } : undefined;
}
