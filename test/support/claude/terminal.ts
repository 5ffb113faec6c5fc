// A real terminal for a program under test: a pty with a screen that can be read, keys that can be pressed,
// and an exit that can be awaited. Knows nothing about the program in it.
import { spawn } from "@lydell/node-pty";
import { Screen } from "./screen.ts";
import { until } from "./until.ts";

const COLUMNS = 140;
const ROWS = 60;

const KEYS = {
  enter: "\r",
  escape: "\x1b",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  tab: "\t",
  "shift-tab": "\x1b[Z",
  "ctrl-c": "\x03",
  "ctrl-d": "\x04",
} as const;

export type Key = keyof typeof KEYS;

export interface TerminalExit {
  readonly exitCode: number;
  /** 0 when it ended by itself. */
  readonly signal: number;
}

export interface TerminalStart {
  readonly binary: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface Terminal {
  readonly pid: number;
  /** Settles when the program was reaped. */
  readonly exited: Promise<TerminalExit>;
  type(text: string): void;
  press(key: Key): void;
  screen(): string;
  waitForScreen(wanted: RegExp, deadlineMs?: number): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

export function startTerminal({ binary, args, env, cwd }: TerminalStart): Terminal {
  const screen = new Screen(COLUMNS, ROWS);
  const pty = spawn(binary, [...args], { name: "xterm-256color", cols: COLUMNS, rows: ROWS, cwd, env: { ...env } });
  pty.onData((data) => {
    screen.write(data);
    for (const reply of repliesTo(data)) pty.write(reply);
  });
  let hasExited = false;
  const exited = new Promise<TerminalExit>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      hasExited = true;
      resolve({ exitCode, signal: signal ?? 0 });
    });
  });
  return {
    pid: pty.pid,
    exited,
    type: (text) => {
      pty.write(text);
    },
    press: (key) => {
      pty.write(KEYS[key]);
    },
    screen: () => screen.text(),
    waitForScreen: (wanted, deadlineMs = 10_000) =>
      until(`${String(wanted)} on the screen`, () => wanted.test(screen.text()), {
        deadlineMs,
        seen: () => `\n${screen.text()}`,
      }).then(() => undefined),
    kill: (signal) => {
      // After its exit the pid may be another's.
      if (!hasExited) process.kill(pty.pid, signal);
    },
  };
}

/** Programs ask a terminal what it is and may wait for the answer: primary device attributes. */
function repliesTo(data: string): string[] {
  return data.includes("\x1b[c") || data.includes("\x1b[0c") ? ["\x1b[?62;22c"] : [];
}
