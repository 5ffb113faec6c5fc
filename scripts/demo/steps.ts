// What a stand-in session does, as data: a list of steps with times in seconds. Who does them is
// standIn/performer.ts; which sessions there are is story.ts.

export interface Option {
  readonly label: string;
  readonly description: string;
}

export interface ToolUse {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** How long it runs, as a process of its own where it is a command. */
  readonly seconds: number;
  readonly output: string;
}

export interface SubagentTask {
  readonly description: string;
  readonly prompt: string;
  readonly uses: readonly ToolUse[];
  readonly report: string;
}

export type Step =
  /** Until this second of the story's round. */
  | { readonly do: "until"; readonly second: number }
  | { readonly do: "pause"; readonly seconds: number }
  | { readonly do: "prompt"; readonly text: string }
  | { readonly do: "title"; readonly text: string }
  | { readonly do: "rename"; readonly title: string }
  | { readonly do: "tool"; readonly use: ToolUse; readonly asksForSeconds?: number }
  | {
      readonly do: "question";
      readonly question: string;
      readonly header: string;
      readonly options: readonly Option[];
      readonly answer: string;
      readonly seconds: number;
    }
  | { readonly do: "plan"; readonly plan: string; readonly seconds: number }
  | { readonly do: "background"; readonly command: string; readonly description: string; readonly seconds: number }
  | { readonly do: "subagents"; readonly tasks: readonly SubagentTask[] }
  /** The model's last word, and the turn's end. */
  | { readonly do: "answer"; readonly text: string }
  /** Waits for background work and tells the model of each end. */
  | { readonly do: "settle" }
  | { readonly do: "interrupted"; readonly text: string }
  | {
      readonly do: "fails";
      readonly error: string;
      readonly errorType: string;
      readonly httpStatus: number;
      readonly says: string;
    }
  | { readonly do: "clear" }
  /** SIGKILL in the middle of a tool. */
  | { readonly do: "killed"; readonly use: ToolUse; readonly afterSeconds: number };

/** A finished turn of the past, which an earlier process of the conversation had. */
export interface PastTurn {
  readonly minutesAgo: number;
  readonly prompt: string;
  readonly answer: string;
}

/** What one process of the stand-in is told on its standard input, as one line of JSON. */
export interface Assignment {
  readonly sessionId: string;
  readonly seed: string;
  readonly cwd: string;
  readonly entrypoint: string;
  readonly socketFolder: string;
  readonly past?: PastTurn;
  /** Done once, before the rounds. */
  readonly opening: readonly Step[];
  /** Done in each round. */
  readonly round: readonly Step[];
  readonly roundSeconds: number;
  /** When the first round began. */
  readonly beganAt: number;
  /** 1 is the story's own speed, 0.1 ten times as fast. */
  readonly pace: number;
}
