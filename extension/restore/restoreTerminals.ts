// Starts what a plan says, each session in a terminal of its own, and tells what became of it: it is restored when the
// agent has seen it live. The program is started as it is, no shell reads what it is given. Which sessions, the plan says.
import { ThemeIcon, window, type CancellationToken, type Disposable, type Terminal } from "vscode";
import type { Scheduler } from "../../base/clock.ts";
import type { Resume } from "../../protocol/restore.ts";
import type { ResumeItem, RestoreResult } from "../core/restoreWords.ts";
import { lastRoster, type RosterState } from "../core/rosterState.ts";

export interface RestoreTerminalsOptions {
  readonly state: () => RosterState;
  readonly onState: (listener: (state: RosterState) => void) => Disposable | { dispose(): void };
  readonly scheduler: Scheduler;
  /** What stands for `claude` where that is not in the path of VS Code. */
  readonly program: () => string;
}

/** A resume reads its whole transcript first, and many may start at once. */
export const seenLiveMs = 90_000;

export class RestoreTerminals {
  private readonly options: RestoreTerminalsOptions;

  constructor(options: RestoreTerminalsOptions) {
    this.options = options;
  }

  start({ id, title, outcome }: ResumeItem, token: CancellationToken): Promise<RestoreResult> {
    const terminal = window.createTerminal({
      name: title,
      iconPath: new ThemeIcon("debug-restart"),
      ...this.program(outcome),
      ...(outcome.cwd === null ? {} : { cwd: outcome.cwd }),
      env: outcome.env,
    });
    terminal.show(true);
    return this.untilLive(terminal, id, token);
  }

  private program({ argv }: Resume): { readonly shellPath: string; readonly shellArgs: string[] } {
    const [program = "claude", ...shellArgs] = argv;
    return { shellPath: program === "claude" ? this.options.program() : program, shellArgs };
  }

  private untilLive(terminal: Terminal, id: string, token: CancellationToken): Promise<RestoreResult> {
    const { state, onState, scheduler } = this.options;
    const began = scheduler.now();
    return new Promise((resolve) => {
      const parts: { dispose(): void }[] = [];
      const settle = (result: RestoreResult): void => {
        for (const part of parts.splice(0)) part.dispose();
        resolve(result);
      };
      const unseen = (): void => settle({ kind: "unseen", waitedMs: scheduler.now() - began });
      const look = (): void => {
        if (isLive(state(), id)) settle({ kind: "live" });
      };
      const timer = scheduler.after(seenLiveMs, unseen);
      parts.push(
        { dispose: () => timer.cancel() },
        onState(look),
        // What was started goes on.
        token.onCancellationRequested(unseen),
        window.onDidCloseTerminal((closed) => {
          if (closed === terminal) settle({ kind: "ended", exitCode: closed.exitStatus?.code });
        }),
      );
      if (terminal.exitStatus !== undefined) settle({ kind: "ended", exitCode: terminal.exitStatus.code });
      else look();
    });
  }
}

function isLive(state: RosterState, id: string): boolean {
  if (state.kind !== "live") return false;
  return (lastRoster(state)?.roster.sessions ?? []).some(
    (session) => session.id === id && session.liveness.kind === "live" && !session.liveness.stale,
  );
}
