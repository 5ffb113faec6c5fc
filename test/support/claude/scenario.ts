// The life of one real session, step by step, with what every surface has to say after each. The steps act on
// the real agent and resolve at the fact itself (its own record or transcript); who looks, and where, is the
// caller's: the terminal's commands, or the workbench's tree.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StatusKind, StatusWhy } from "../../../protocol/roster.ts";
import { type RealSession, startSession } from "./realSession.ts";
import { SHELL_END_FILE } from "./script.ts";
import { until } from "./until.ts";
import type { ClaudeWorld } from "./world.ts";

export interface Expectation {
  readonly liveness: "live" | "ended";
  readonly how?: "exited" | "killed";
  readonly status: readonly StatusKind[];
  readonly why?: StatusWhy;
  /** Tools of the open turns. */
  readonly open?: readonly string[];
  readonly background?: number;
  readonly abandoned?: number;
}

export interface ScenarioStep {
  readonly name: string;
  readonly expect: Expectation;
  act(stage: Stage): Promise<void>;
}

export class Stage {
  readonly world: ClaudeWorld;
  private running: RealSession | undefined;

  constructor(world: ClaudeWorld) {
    this.world = world;
  }

  get session(): RealSession {
    if (this.running === undefined) throw new Error("the scenario's first step starts the session");
    return this.running;
  }

  async start(): Promise<void> {
    this.running = await startSession(this.world);
  }

  async close(): Promise<void> {
    try {
      this.running?.terminal.kill("SIGKILL");
      await this.running?.terminal.exited;
    } finally {
      await this.world.close();
    }
  }
}

/** The call of the latest prompt stands in the transcript; the record may tell of it earlier. */
async function callWritten(session: RealSession, tool: string): Promise<void> {
  await until(
    `the call of ${tool} in the transcript`,
    () => {
      const lines = session.transcript();
      const turn = lines.slice(lines.findLastIndex((line) => line["type"] === "user" && "promptSource" in line));
      return turn.some((line) => JSON.stringify(line).includes(`"name":"${tool}"`));
    },
    { deadlineMs: 20_000 },
  );
}

const turnOver: Expectation = { liveness: "live", status: ["waiting"], open: [] };

export const scenario: readonly ScenarioStep[] = [
  {
    name: "idle: started, nothing asked yet",
    expect: { liveness: "live", status: ["idle"], open: [] },
    act: (stage) => stage.start(),
  },
  {
    name: "busy: an answer streams",
    expect: { liveness: "live", status: ["working"], open: [] },
    act: async ({ session, world }) => {
      await session.prompt("stream-held");
      await world.api.waitForHeld("stream-held");
    },
  },
  {
    name: "turn end: the answer is whole",
    expect: turnOver,
    act: async ({ session, world }) => {
      world.api.release("stream-held");
      await session.turnEnded();
    },
  },
  {
    name: "permission asked",
    expect: { liveness: "live", status: ["needs-you"], why: "permission", open: ["Bash"] },
    act: async ({ session }) => {
      await session.prompt("run-bash");
      await session.waitForStatus("waiting", "permission prompt");
      await callWritten(session, "Bash");
    },
  },
  {
    name: "permission answered",
    expect: turnOver,
    act: async ({ session }) => {
      await session.approve();
      await session.turnEnded();
    },
  },
  {
    name: "question asked",
    expect: { liveness: "live", status: ["needs-you"], why: "question", open: ["AskUserQuestion"] },
    act: async ({ session }) => {
      await session.prompt("ask-question");
      await session.waitForStatus("waiting", "input needed");
      await callWritten(session, "AskUserQuestion");
    },
  },
  {
    name: "question answered",
    expect: turnOver,
    act: async ({ session }) => {
      await session.answerQuestion();
      await session.turnEnded();
    },
  },
  {
    name: "Escape in the middle of an answer",
    expect: turnOver,
    act: async ({ session, world }) => {
      await session.prompt("stream-held");
      await world.api.waitForHeld("stream-held");
      await session.escape();
    },
  },
  {
    name: "Escape before any output",
    expect: turnOver,
    act: async ({ session, world }) => {
      await session.prompt("silent-held");
      await world.api.waitForHeld("silent-held");
      await session.escape();
      session.terminal.press("ctrl-c");
    },
  },
  {
    name: "background shell: the turn ended, its shell runs",
    expect: { liveness: "live", status: ["background"], open: [], background: 1 },
    act: async ({ session }) => {
      await session.prompt("background-bash");
      await session.waitForStatus("shell");
      await session.turnEnded();
    },
  },
  {
    name: "background shell ended",
    expect: { ...turnOver, background: 0 },
    act: async ({ session, world }) => {
      writeFileSync(join(world.projectDir, SHELL_END_FILE), "");
      await session.waitForLine("its notification", (line) => JSON.stringify(line).includes("<task-notification>"));
      await session.turnEnded();
    },
  },
  {
    name: "killed with kill -9 in the middle of a permission prompt",
    expect: { liveness: "ended", how: "killed", status: ["ended"], abandoned: 1 },
    act: async ({ session }) => {
      await session.prompt("run-bash last");
      await session.waitForStatus("waiting", "permission prompt");
      await callWritten(session, "Bash");
      await session.kill9();
    },
  },
];
