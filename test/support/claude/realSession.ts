// A real agent session in a terminal, driven step by step. Every step ends when a fact is on disk (the pid
// record's status, a line of the transcript), never after a pause; screens are read only to press keys at
// the right moment. The world it lives in is world.ts, the model's answers script.ts.
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ensureClaude } from "./install.ts";
import { type Key, startTerminal, type Terminal, type TerminalExit } from "./terminal.ts";
import { until } from "./until.ts";
import type { ClaudeWorld } from "./world.ts";

const STEP_MS = 15_000;
const LAUNCH_MS = 30_000;
const PRESS_AGAIN_MS = 400;

/** The fields of `<config>/sessions/<pid>.json` that the steps wait for; the rest passes through. */
export interface PidRecord {
  readonly pid: number;
  readonly sessionId: string;
  readonly cwd: string;
  readonly startedAt: number;
  readonly procStart: string;
  readonly pidDomain?: string;
  readonly status?: string;
  readonly waitingFor?: string;
  readonly updatedAt?: number;
  readonly statusUpdatedAt?: number;
  readonly [field: string]: unknown;
}

export type TranscriptLine = Readonly<Record<string, unknown>>;

export interface SessionStart {
  readonly permissionMode?: "default" | "plan" | "acceptEdits" | "auto" | "bypassPermissions";
  /** Conversation to go on with, by id. */
  readonly resume?: string;
  readonly cwd?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** In a pid namespace of its own, where its records lie out of the host's sight. */
  readonly isSandboxed?: boolean;
}

export interface RealSession {
  readonly pid: number;
  readonly terminal: Terminal;
  readonly pidRecordPath: string;
  /** Launch until the record first said idle. */
  readonly launchMs: number;
  /** The pid record, or undefined while there is none. */
  record(): PidRecord | undefined;
  sessionId(): string;
  /** The transcript of the conversation the record names now. */
  transcriptPath(): string;
  transcript(): TranscriptLine[];
  waitForRecord(what: string, wanted: (record: PidRecord) => boolean, deadlineMs?: number): Promise<PidRecord>;
  waitForStatus(status: string, waitingFor?: string): Promise<PidRecord>;
  waitForLine(what: string, wanted: (line: TranscriptLine) => boolean, deadlineMs?: number): Promise<TranscriptLine>;
  /**
   * Types and sends a prompt; resolves once its turn shows in the record or the transcript. The record alone
   * will not do: it is written with a delay, and a turn shorter than that never shows in it.
   */
  prompt(text: string): Promise<void>;
  /** Resolves once the latest prompt's turn (a notification's too) ended in the transcript and in the record. */
  turnEnded(): Promise<void>;
  /** Answers the open permission prompt with yes; resolves once nothing is awaited any more. */
  approve(): Promise<void>;
  /** Answers the open permission prompt with no. */
  deny(): Promise<void>;
  /** Picks the first choice of the open question or plan. */
  answerQuestion(): Promise<void>;
  /** Interrupts the running turn; resolves once the record says idle. */
  escape(): Promise<void>;
  /** `/clear`; resolves with the new session id. */
  clear(): Promise<string>;
  /** `/exit`; resolves once the process is gone and its record removed. */
  exit(): Promise<TerminalExit>;
  /** SIGKILL; resolves once the process was reaped. */
  kill9(): Promise<TerminalExit>;
}

export async function startSession(world: ClaudeWorld, start: SessionStart = {}): Promise<RealSession> {
  const cwd = start.cwd ?? world.projectDir;
  const args = ["--permission-mode", start.permissionMode ?? "default", ...(start.args ?? [])];
  if (start.resume !== undefined) args.push("--resume", start.resume);
  const begun = performance.now();
  const program = start.isSandboxed === true ? inSandbox(world, cwd, args) : { binary: ensureClaude(), args };
  const terminal = startTerminal({ ...program, env: { ...world.env, ...start.env }, cwd });
  const sessions = join(world.configDir, "sessions");
  const recordPath = (): string => join(sessions, `${terminal.pid}.json`);
  const session = driver(
    terminal,
    world.configDir,
    cwd,
    start.isSandboxed === true ? () => insideRecord(terminal.pid, sessions) : recordPath,
  );
  try {
    await session.waitForRecord("the first idle record", (record) => record.status === "idle", LAUNCH_MS);
    const launchMs = performance.now() - begun;
    await terminal.waitForScreen(/❯/);
    return { ...session, launchMs };
  } catch (cause) {
    terminal.kill("SIGKILL");
    throw cause;
  }
}

/** What the session sees is what the host sees, but for the folder of its records. */
function inSandbox(
  world: ClaudeWorld,
  cwd: string,
  args: readonly string[],
): { readonly binary: string; readonly args: readonly string[] } {
  const sessions = join(world.configDir, "sessions");
  mkdirSync(sessions, { recursive: true });
  const enter = ["--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", "--proc", "/proc", "--tmpfs", sessions];
  return { binary: "bwrap", args: [...enter, "--chdir", cwd, ensureClaude(), ...args] };
}

/** The first of the namespace started the session as its second. */
function insideRecord(outerPid: number, sessions: string): string {
  const first = readText(`/proc/${outerPid}/task/${outerPid}/children`).trim();
  return join(`/proc/${first === "" ? outerPid : first}/root`, sessions, "2.json");
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Gone with its process.
    return "";
  }
}

function driver(
  terminal: Terminal,
  configDir: string,
  cwd: string,
  recordPath: () => string,
): Omit<RealSession, "launchMs"> {
  let lastSessionId: string | undefined;
  const record = (): PidRecord | undefined => {
    const found = readRecord(recordPath());
    lastSessionId = found?.sessionId ?? lastSessionId;
    return found;
  };
  const sessionId = (): string => {
    record();
    // The last one known stands in for a record that is being rewritten, or was removed at the end.
    if (lastSessionId === undefined) throw new Error(`no pid record at ${recordPath()} yet; wait for it first`);
    return lastSessionId;
  };
  const slug = cwd.replaceAll(/[^A-Za-z0-9]/g, "-");
  const transcriptPath = (): string => join(configDir, "projects", slug, `${sessionId()}.jsonl`);
  const seen = (): string => `${JSON.stringify(record())}\n${terminal.screen()}`;

  const waitForRecord: RealSession["waitForRecord"] = (what, wanted, deadlineMs = STEP_MS) =>
    until(
      what,
      () => {
        const found = record();
        return found !== undefined && wanted(found) ? found : undefined;
      },
      { deadlineMs, seen },
    );
  const waitForStatus: RealSession["waitForStatus"] = (status, waitingFor) =>
    waitForRecord(
      `a record with status ${status} ${waitingFor ?? ""}`,
      (one) => one.status === status && (waitingFor === undefined || one.waitingFor === waitingFor),
    );
  const transcript = (): TranscriptLine[] => readLines(transcriptPath());
  const waitForLine: RealSession["waitForLine"] = (what, wanted, deadlineMs = STEP_MS) =>
    until(`the transcript line "${what}"`, () => transcript().find(wanted), { deadlineMs, seen });

  /** Types a line, sees it on the screen, and only then presses Enter: both in one write would be a paste. */
  const send = async (text: string): Promise<void> => {
    terminal.type(text);
    await terminal.waitForScreen(new RegExp(`❯.*${escapeForRegExp(text.slice(0, 60))}`));
    terminal.press("enter");
  };
  /**
   * Presses a key in the open dialog until the dialog is answered: a fresh one ignores keys for a moment, so
   * that nobody answers it by accident. Between two dialogs in a row the record says busy or changes its time.
   */
  const answerDialog = async (key: Key): Promise<void> => {
    const before = await waitForStatus("waiting");
    await terminal.waitForScreen(/❯ *1\./);
    let pressedAt = -Infinity;
    await until(
      "the dialog's answer",
      () => {
        if (record()?.statusUpdatedAt !== before.statusUpdatedAt) return true;
        if (performance.now() - pressedAt > PRESS_AGAIN_MS) {
          terminal.press(key);
          pressedAt = performance.now();
        }
        return false;
      },
      { deadlineMs: STEP_MS, seen },
    );
  };

  return {
    pid: terminal.pid,
    terminal,
    get pidRecordPath() {
      return recordPath();
    },
    record,
    sessionId,
    transcriptPath,
    transcript,
    waitForRecord,
    waitForStatus,
    waitForLine,
    prompt: async (text) => {
      const before = record()?.statusUpdatedAt;
      const promptsBefore = transcript().filter(isPrompt).length;
      await send(text);
      await until(
        "the turn's start",
        () => record()?.statusUpdatedAt !== before || transcript().filter(isPrompt).length > promptsBefore,
        { deadlineMs: STEP_MS, seen },
      );
    },
    turnEnded: async () => {
      await until(
        "the turn's end",
        () => {
          const lines = transcript();
          const turn = lines.slice(lines.findLastIndex(isPrompt) + 1);
          // A subagent that goes on keeps the record busy.
          const pending = turn.some((line) => "pendingBackgroundAgentCount" in line);
          return turn.some(isTurnEnd) && (pending || ["idle", "shell"].includes(record()?.status ?? ""));
        },
        { deadlineMs: STEP_MS, seen },
      );
    },
    approve: () => answerDialog("enter"),
    deny: () => answerDialog("escape"),
    answerQuestion: () => answerDialog("enter"),
    escape: async () => {
      terminal.press("escape");
      await waitForStatus("idle");
    },
    clear: async () => {
      const before = sessionId();
      await send("/clear");
      const after = await waitForRecord(
        "another session id",
        (one) => one.sessionId !== before && one.status === "idle",
      );
      return after.sessionId;
    },
    exit: async () => {
      await send("/exit");
      const exit = await ended(terminal);
      await until("the removal of the pid record", () => !exists(recordPath()), { deadlineMs: STEP_MS });
      return exit;
    },
    kill9: async () => {
      terminal.kill("SIGKILL");
      return ended(terminal);
    },
  };
}

async function ended(terminal: Terminal): Promise<TerminalExit> {
  let exit: TerminalExit | undefined;
  void terminal.exited.then((value) => (exit = value));
  return until("the exit of the session's process", () => exit, { deadlineMs: STEP_MS, seen: () => terminal.screen() });
}

function readRecord(path: string): PidRecord | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as PidRecord;
  } catch {
    // Not there, or seen empty: it is rewritten in place. The next look tells.
    return undefined;
  }
}

function readLines(path: string): TranscriptLine[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return [];
  }
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as TranscriptLine);
}

/** Typed, queued while busy, or the harness telling that background work ended. */
function isPrompt(line: TranscriptLine): boolean {
  return line["type"] === "user" && "promptSource" in line;
}

function isTurnEnd(line: TranscriptLine): boolean {
  return line["subtype"] === "turn_duration" || line["isApiErrorMessage"] === true || "toolDenialKind" in line;
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function escapeForRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
