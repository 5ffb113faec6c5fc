// What a command of the CLI is: its name, its help, and what it does with its arguments.
import type { Environment } from "../base/node/paths.ts";

/** 0 done, 1 refused or failed, 2 not understood. */
export type ExitCode = 0 | 1 | 2;

export interface CommandIO {
  readonly env: Environment;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly now: () => number;
  /** Width of the terminal; undefined where the output is no terminal. */
  readonly columns: number | undefined;
  readonly colours: boolean;
  /** Asks the person at the terminal; undefined where there is none. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  /** Of one of its acts, where it has any; undefined for what is none. */
  usageOf?(act: string): string | undefined;
  run(args: readonly string[], io: CommandIO): Promise<ExitCode>;
}

/** Arguments that are not understood; its message says what would be. */
export class UsageError extends Error {}
