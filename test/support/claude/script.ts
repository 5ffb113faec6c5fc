// What the stand-in model answers: a keyword in the last prompt picks one behaviour. Pure; how an answer
// travels (stream or one body, holding, errors) is standInApi.ts.

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
}

/** Keywords whose answers wait for the test. */
export type Gate = "stream-held" | "silent-held" | "subagent-held" | "compaction-held";

export type Answer =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tools"; readonly text: string; readonly calls: readonly ToolCall[] }
  /** Sends `before` (whole lines: the TUI shows no part of one), then nothing until released, then `after`. An empty `before` sends not even headers. */
  | { readonly kind: "held"; readonly gate: Gate; readonly before: string; readonly after: string }
  | { readonly kind: "error"; readonly status: number; readonly type: string; readonly message: string };

export interface ApiMessage {
  readonly role: string;
  readonly content: string | readonly ContentBlock[];
}

export interface ContentBlock {
  readonly type: string;
  readonly text?: string;
}

export interface ApiRequest {
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages?: readonly ApiMessage[];
}

/** While this file is missing in the session's folder, the command of `foreground-bash` goes on. */
export const COMMAND_END_FILE = "end-foreground-command";

/** The same for the shell of `background-bash`. */
export const SHELL_END_FILE = "end-background-shell";

const bash = (command: string, extra: object = {}): ToolCall => ({
  name: "Bash",
  input: { command, description: "Stand-in command", ...extra },
});

/** Only reads and waits, so nobody is asked; ends too when the world's home went away under it. */
const waitForFile = (name: string): string =>
  `until [ -e ${name} ] || [ ! -e ../.claude ]; do sleep 0.05; done; echo ended`;

const error = (status: number, type: string): Answer => ({
  kind: "error",
  status,
  type,
  message: `stand-in ${status}`,
});

const agent = (description: string, prompt: string, background = true): ToolCall => ({
  name: "Agent",
  input: { description, prompt, subagent_type: "general-purpose", run_in_background: background },
});

const ANSWERS = {
  "say-hello": { kind: "text", text: "Hello from the stand-in." },
  "run-bash": { kind: "tools", text: "I run one command.", calls: [bash("touch made-by-bash")] },
  "run-two": {
    kind: "tools",
    text: "I run two commands.",
    calls: [bash("touch made-by-first"), bash("touch made-by-second")],
  },
  "ask-question": {
    kind: "tools",
    text: "I have a question.",
    calls: [
      {
        name: "AskUserQuestion",
        input: {
          questions: [
            {
              question: "Which colour do you want?",
              header: "Colour",
              multiSelect: false,
              options: [
                { label: "Red", description: "A warm one" },
                { label: "Blue", description: "A cold one" },
              ],
            },
          ],
        },
      },
    ],
  },
  "make-plan": {
    kind: "tools",
    text: "Here is my plan.",
    calls: [{ name: "ExitPlanMode", input: { plan: "# Plan\n\n1. Do the one thing." } }],
  },
  "stream-held": { kind: "held", gate: "stream-held", before: "The first line.\n", after: "The last line." },
  "silent-held": { kind: "held", gate: "silent-held", before: "", after: "At last." },
  "foreground-bash": {
    kind: "tools",
    text: "I run a long command.",
    calls: [bash(waitForFile(COMMAND_END_FILE))],
  },
  "background-bash": {
    kind: "tools",
    text: "I start a command in the background.",
    calls: [bash(waitForFile(SHELL_END_FILE), { run_in_background: true })],
  },
  "background-agent": {
    kind: "tools",
    text: "I start a subagent.",
    calls: [agent("Held subagent", "subagent-held: answer when released")],
  },
  "asking-agent": {
    kind: "tools",
    text: "I start a subagent that runs a command.",
    calls: [agent("Asking subagent", "subagent-bash: run the command")],
  },
  "foreground-agent": {
    kind: "tools",
    text: "I start a subagent and wait for it.",
    calls: [agent("Awaited subagent", "subagent-held: answer when released", false)],
  },
  "asking-foreground": {
    kind: "tools",
    text: "I start a subagent that runs a command, and wait for it.",
    calls: [agent("Awaited asking subagent", "subagent-bash: run the command", false)],
  },
  "nesting-agent": {
    kind: "tools",
    text: "I start a subagent that starts another.",
    calls: [agent("Outer subagent", "subagent-nests: start another", false)],
  },
  "subagent-nests": {
    kind: "tools",
    text: "I start one below me.",
    calls: [agent("Inner subagent", "subagent-held: answer when released", false)],
  },
  "start-monitor": {
    kind: "tools",
    text: "I watch for something.",
    calls: [
      {
        name: "Monitor",
        input: {
          description: "Stand-in watch",
          command: waitForFile(SHELL_END_FILE),
          timeout_ms: 60_000,
          persistent: false,
        },
      },
    ],
  },
  "subagent-held": {
    kind: "held",
    gate: "subagent-held",
    before: "The subagent works.\n",
    after: "The subagent is done.",
  },
  "subagent-bash": { kind: "tools", text: "Subagent runs.", calls: [bash("touch made-by-subagent")] },
  "fail-400": error(400, "invalid_request_error"),
  "fail-401": error(401, "authentication_error"),
  "fail-429": error(429, "rate_limit_error"),
  "fail-500": error(500, "api_error"),
} as const satisfies Record<string, Answer>;

type Keyword = keyof typeof ANSWERS;

const AFTER_TOOLS: Answer = { kind: "text", text: "The tools are done." };
const AFTER_NOTIFICATION: Answer = { kind: "text", text: "I saw that the background work ended." };
const OTHERWISE: Answer = { kind: "text", text: "The stand-in has no script for this." };
/** Requests without tools make titles and summaries; this serves both readers of JSON and of text. */
const SIDE_REQUEST: Answer = { kind: "text", text: '{"title":"Stand-in title"}' };

export function answerFor(request: ApiRequest): Answer {
  if ((request.tools ?? []).length === 0) return SIDE_REQUEST;
  const last = request.messages?.findLast((message) => message.role === "user");
  // Newest first: an interrupted turn's prompt or denied results share one message with the next prompt.
  for (const block of blocksOf(last).toReversed()) {
    if (block.type === "tool_result") return AFTER_TOOLS;
    if (block.text?.includes("<task-notification>")) return AFTER_NOTIFICATION;
    const text = withoutReminders(block.text ?? "");
    const keyword = keywords().find((candidate) => text.includes(candidate));
    if (keyword !== undefined) return ANSWERS[keyword];
  }
  return OTHERWISE;
}

function blocksOf(message: ApiMessage | undefined): readonly ContentBlock[] {
  const content = message?.content ?? [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** What a person typed, without the reminders that the harness puts around it. */
function withoutReminders(text: string): string {
  return text.replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "");
}

function keywords(): Keyword[] {
  return Object.keys(ANSWERS) as Keyword[];
}
