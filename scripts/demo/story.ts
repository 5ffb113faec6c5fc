// The sessions of the demo and what each of them does, in seconds of a round. Pure data; what a person is told of it
// is narration.ts.
import type { PastTurn, Step, SubagentTask, ToolUse } from "./steps.ts";

export const roundSeconds = 120;

export interface Role {
  readonly key: string;
  readonly folder: string;
  readonly entrypoint: "cli" | "claude-vscode";
  readonly sandbox?: SandboxName;
  readonly past?: PastTurn;
  readonly opening: readonly Step[];
  readonly round: readonly Step[];
}

export const sandboxNames = ["blue", "green"] as const;
export type SandboxName = (typeof sandboxNames)[number];

export const titles = {
  working: "Fix the flaky login test",
  permission: "Migrate the billing tables",
  question: "Choose the header's colour",
  plan: "Plan the cache rewrite",
  subagents: "Review the pull request",
  background: "Serve the docs locally",
  error: "Upgrade the dependencies",
  killed: "Convert the images",
  cleared: "Try out a new parser",
  afterClear: "Write down what the parser taught",
  interrupted: "Write the changelog",
  waiting: "Release 1.4, my own title",
  idle: "Sort the photo import",
  blue: "Translate the manual",
  green: "Measure the start-up time",
  blueYesterday: "Write the glossary",
  greenYesterday: "Compare two databases",
} as const;

/** Sessions that the registry remembers of the sandboxes, and that nobody sees today. */
export const yesterday = [
  { sandbox: "blue", folder: "manual", title: titles.blueYesterday },
  { sandbox: "green", folder: "server", title: titles.greenYesterday },
] as const;

const bash = (command: string, seconds: number, output = "ok"): ToolUse => ({
  tool: "Bash",
  input: { command, description: command },
  seconds,
  output,
});
const read = (path: string): ToolUse => ({
  tool: "Read",
  input: { file_path: path },
  seconds: 1,
  output: `1\t# ${path}\n`,
});
const use = (toolUse: ToolUse, asksForSeconds?: number): Step => ({
  do: "tool",
  use: toolUse,
  ...(asksForSeconds === undefined ? {} : { asksForSeconds }),
});
const until = (second: number): Step => ({ do: "until", second });
const asked = (title: string, text: string): readonly Step[] => [
  { do: "prompt", text },
  { do: "title", text: title },
];
const answer = (text: string): Step => ({ do: "answer", text });

const reviewers: readonly SubagentTask[] = [
  {
    description: "Check the tests",
    prompt: "Run the tests of the pull request and tell what fails.",
    uses: [bash("npm test", 30, "42 passing")],
    report: "All tests pass.",
  },
  {
    description: "Check the style",
    prompt: "Read the change and tell where it leaves the house style.",
    uses: [read("src/login.ts"), bash("npm run lint", 20)],
    report: "Two names could say more.",
  },
  {
    description: "Check the security",
    prompt: "Look for unsafe input handling in the change.",
    uses: [read("src/session.ts"), bash("npm audit", 40, "found 0 vulnerabilities")],
    report: "Nothing unsafe was found.",
  },
];

export const roles: readonly Role[] = [
  {
    key: "working",
    folder: "shop",
    entrypoint: "cli",
    opening: [],
    round: [
      ...asked(titles.working, "The login test fails once in ten runs. Find out why."),
      use(read("test/login.test.ts")),
      use(bash("npm test -- login", 40, "1 failing")),
      use(read("src/login.ts")),
      use(bash("npm test -- login --repeat 50", 50, "50 passing")),
      until(112),
      answer("The test waited for a fixed time; now it waits for the event."),
    ],
  },
  {
    key: "permission",
    folder: "shop",
    entrypoint: "cli",
    opening: [],
    round: [
      until(3),
      ...asked(titles.permission, "Move the billing tables to the new schema."),
      use(read("db/billing.sql")),
      use(bash("psql -f db/migrate-billing.sql", 8, "ALTER TABLE"), 50),
      answer("The tables are moved."),
    ],
  },
  {
    key: "question",
    folder: "website",
    entrypoint: "cli",
    opening: [],
    round: [
      until(8),
      ...asked(titles.question, "The header looks dull. Make it friendlier."),
      {
        do: "question",
        question: "Which colour shall the header have?",
        header: "Colour",
        options: [
          { label: "Orange", description: "Warm" },
          { label: "Teal", description: "Calm" },
        ],
        answer: "Teal",
        seconds: 50,
      },
      use(read("src/header.css")),
      answer("The header is teal now."),
    ],
  },
  {
    key: "plan",
    folder: "server",
    entrypoint: "cli",
    opening: [],
    round: [
      until(13),
      ...asked(titles.plan, "Plan how to replace the cache."),
      use(read("src/cache.ts")),
      { do: "plan", plan: "# Plan\n\n1. Measure.\n2. Replace the map.\n3. Measure again.", seconds: 50 },
      use(bash("npm run bench", 12, "2.1 times as fast")),
      answer("The cache is replaced and twice as fast."),
    ],
  },
  {
    key: "subagents",
    folder: "shop",
    entrypoint: "claude-vscode",
    opening: [],
    round: [
      until(18),
      ...asked(titles.subagents, "Review the pull request from three sides."),
      { do: "subagents", tasks: reviewers },
      answer("Three subagents look at it."),
      { do: "settle" },
    ],
  },
  {
    key: "background",
    folder: "docs",
    entrypoint: "cli",
    opening: [],
    round: [
      until(24),
      ...asked(titles.background, "Serve the docs while I write."),
      { do: "background", command: "npm run docs:serve", description: "Serve the docs", seconds: 70 },
      answer("The docs are served on port 4000."),
      { do: "settle" },
    ],
  },
  {
    key: "error",
    folder: "website",
    entrypoint: "cli",
    opening: [],
    round: [
      until(29),
      ...asked(titles.error, "Bring the dependencies up to date."),
      { do: "pause", seconds: 3 },
      {
        do: "fails",
        error: "rate_limit",
        errorType: "rate_limit_error",
        httpStatus: 429,
        says: "You've reached your usage limit",
      },
    ],
  },
  {
    key: "killed",
    folder: "photos",
    entrypoint: "cli",
    opening: [],
    round: [
      ...asked(titles.killed, "Make thumbnails of all pictures."),
      use(bash("ls pictures", 6, "3,120 files")),
      until(30),
      { do: "killed", use: bash("convert pictures/*.png", 80), afterSeconds: 8 },
    ],
  },
  {
    key: "cleared",
    folder: "server",
    entrypoint: "cli",
    opening: [
      ...asked(titles.cleared, "Try whether the new parser can read our files."),
      use(bash("./parser --check samples", 8, "17 of 20 read")),
      answer("It reads 17 of 20."),
      until(44),
      { do: "clear" },
      { do: "pause", seconds: 1 },
    ],
    round: [
      until(46),
      ...asked(titles.afterClear, "Write down what we learnt about the parser."),
      use(bash("./parser --report", 20)),
      answer("It is written down in NOTES.md."),
    ],
  },
  {
    key: "interrupted",
    folder: "docs",
    entrypoint: "cli",
    opening: [],
    round: [
      until(5),
      ...asked(titles.interrupted, "Write the changelog of this week."),
      use(bash("git log --oneline --since=monday", 4, "31 commits")),
      until(50),
      { do: "interrupted", text: "The week brought" },
    ],
  },
  {
    key: "waiting",
    folder: "shop",
    entrypoint: "cli",
    opening: [
      { do: "prompt", text: "Prepare the release." },
      { do: "rename", title: titles.waiting },
      use(bash("npm version minor", 2, "v1.4.0")),
      answer("Version 1.4 is ready; say when it shall go out."),
    ],
    round: [
      until(100),
      { do: "prompt", text: "Check it once more." },
      use(bash("npm pack --dry-run", 6, "rollup 1.4.0")),
      answer("It is still ready."),
    ],
  },
  {
    key: "idle",
    folder: "photos",
    entrypoint: "cli",
    past: {
      minutesAgo: 25,
      prompt: "Sort the import folder by year.",
      answer: "1,204 pictures are sorted into 9 folders.",
    },
    opening: [{ do: "title", text: titles.idle }],
    round: [until(roundSeconds - 1)],
  },
  {
    key: "blue",
    folder: "manual",
    entrypoint: "cli",
    sandbox: "blue",
    opening: [],
    round: [
      until(2),
      ...asked(titles.blue, "Translate the manual into Danish."),
      use(bash("./translate --to da manual", 60, "214 pages")),
      answer("The manual is translated."),
    ],
  },
  {
    key: "green",
    folder: "server",
    entrypoint: "cli",
    sandbox: "green",
    opening: [],
    round: [
      until(6),
      ...asked(titles.green, "Measure how long the server takes to start."),
      use(bash("./measure --runs 100", 80, "312 ms")),
      answer("It starts in 312 ms."),
    ],
  },
];

/** When the registry is cut to half of its bytes, and when it is whole again. */
export const registryTornAt = 56;
export const registryHealedAt = 84;
