// The page's icons: a shape for each meaning, so that colour is never the only sign. Drawn here, since VS Code's own
// are not at hand in a page; always beside words, so a screen reader passes over them.
import type { VNode } from "preact";
import type { StatusKind } from "../../protocol/roster.ts";
import type { MarkWhat, ToolState, TurnEnd } from "../../protocol/sessionDetail.ts";

type Shape =
  | "bell"
  | "cross"
  | "pulse"
  | "fold"
  | "server"
  | "comment"
  | "ring"
  | "play"
  | "question"
  | "slash"
  | "check"
  | "arc"
  | "stop"
  | "broken"
  | "retry"
  | "warning"
  | "chevron"
  | "fork";

/** On a grid of 16; stroked, not filled. */
const paths = {
  bell: "M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM6.5 14.5h3M12.5 2.5l1 1",
  cross: "M8 14.5a6.5 6.5 0 1 1 0-13 6.5 6.5 0 0 1 0 13zM5.5 5.5l5 5M10.5 5.5l-5 5",
  pulse: "M1 8.5h3l2-5 3.5 9.5 2-4.5h3.5",
  fold: "M2 8h12M8 1v4.5M5.5 3.5L8 6l2.5-2.5M8 15v-4.5M5.5 12.5L8 10l2.5 2.5",
  server: "M2 3h12v4H2zM2 9h12v4H2zM4.5 5h.01M4.5 11h.01",
  comment: "M2 2.5h12v8.5H7l-3 3v-3H2z",
  ring: "M8 14a6 6 0 1 1 0-12 6 6 0 0 1 0 12z",
  play: "M4.5 2.5l8 5.5-8 5.5z",
  question: "M5.5 6a2.5 2.5 0 1 1 3.700 2.200c-.8.5-1.200.9-1.200 1.800M8 12.800h.01",
  slash: "M8 14a6 6 0 1 1 0-12 6 6 0 0 1 0 12zM3.800 3.800l8.400 8.400",
  check: "M2.5 8.5l3.5 3.5 7.5-8",
  arc: "M8 2a6 6 0 1 1-6 6",
  stop: "M3 3h10v10H3z",
  broken: "M8 2v4M8 10v4M5 6.5h6M5 9.5h6",
  retry: "M13.5 8a5.5 5.5 0 1 1-1.700-4M12 1v3.200H8.800",
  warning: "M8 2l6.5 12h-13zM8 6.5v3.5M8 12h.01",
  chevron: "M6 3.5L10.5 8 6 12.5",
  fork: "M4 2v4c0 2 1.5 2 4 2s4 0 4 2v4M4 14V6M2.5 12.5L4 14l1.5-1.5M10.5 12.5L12 14l1.5-1.5",
} as const satisfies Record<Shape, string>;

export type Tone = "attention" | "bad" | "good" | "calm" | "plain" | "dim";

interface Look {
  readonly shape: Shape;
  readonly tone: Tone;
}

export const statusLooks = {
  "needs-you": { shape: "bell", tone: "attention" },
  error: { shape: "cross", tone: "bad" },
  working: { shape: "pulse", tone: "good" },
  compacting: { shape: "fold", tone: "good" },
  background: { shape: "server", tone: "good" },
  waiting: { shape: "comment", tone: "calm" },
  starting: { shape: "play", tone: "calm" },
  unknown: { shape: "question", tone: "plain" },
  idle: { shape: "ring", tone: "plain" },
  ended: { shape: "slash", tone: "dim" },
} as const satisfies Record<StatusKind, Look>;

export const turnLooks = {
  running: { shape: "pulse", tone: "good" },
  completed: { shape: "check", tone: "plain" },
  interrupted: { shape: "stop", tone: "attention" },
  failed: { shape: "cross", tone: "bad" },
  unmarked: { shape: "question", tone: "plain" },
  abandoned: { shape: "broken", tone: "dim" },
} as const satisfies Record<TurnEnd, Look>;

export const toolLooks = {
  open: { shape: "arc", tone: "good" },
  done: { shape: "check", tone: "plain" },
  failed: { shape: "cross", tone: "bad" },
  rejected: { shape: "slash", tone: "attention" },
  unanswered: { shape: "question", tone: "plain" },
  abandoned: { shape: "broken", tone: "dim" },
} as const satisfies Record<ToolState, Look>;

export const markLooks = {
  compaction: { shape: "fold", tone: "plain" },
  error: { shape: "cross", tone: "bad" },
  retry: { shape: "retry", tone: "attention" },
  "subagents-killed": { shape: "stop", tone: "attention" },
} as const satisfies Record<MarkWhat, Look>;

export const warningLook = { shape: "warning", tone: "attention" } as const satisfies Look;
export const backgroundLook = { shape: "server", tone: "good" } as const satisfies Look;
export const subagentLook = { shape: "fork", tone: "good" } as const satisfies Look;
export const chevronLook = { shape: "chevron", tone: "plain" } as const satisfies Look;

export function Icon({ look, more = "" }: { readonly look: Look; readonly more?: string }): VNode {
  return (
    <svg class={`icon tone-${look.tone} ${more}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[look.shape]} />
    </svg>
  );
}
