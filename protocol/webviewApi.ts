// What a session's detail page and the extension say to each other, validated on both sides: the page is a world of
// its own, and what it was may outlive the extension that made it.
import { z } from "zod";
import { sessionDetailSchema } from "./sessionDetail.ts";
import { sessionDetailChangeSchema } from "./sessionDetailChange.ts";

const ms = z.number().nonnegative();

/** How the extension stands with the agent. */
export const agentLinkSchema = z.discriminatedUnion("state", [
  z.strictObject({ state: z.literal("connecting") }),
  /** `heardAt`: when the agent last said or confirmed what is known. */
  z.strictObject({ state: z.literal("live"), heardAt: ms }),
  z.strictObject({ state: z.literal("gone"), since: ms, heardAt: ms.optional(), cause: z.string() }),
]);

/** The host's clock goes along, since a page may be drawn on another machine than the sessions run on. */
const from = { now: ms, link: agentLinkSchema };

export const hostMessageSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("detail"), ...from, detail: sessionDetailSchema }),
  z.strictObject({ kind: z.literal("change"), ...from, change: sessionDetailChangeSchema }),
  z.strictObject({ kind: z.literal("link"), ...from }),
  /** Nothing is known of the session: it is being asked for, or the agent refused. */
  z.strictObject({ kind: z.literal("nothing"), ...from, refused: z.string().optional() }),
]);

/** What the page's buttons do, by the names of the extension's commands. */
export const pageCommands = [
  "goToTerminal",
  "restore",
  "openTranscript",
  "copyId",
  "why",
  "refresh",
  "openLog",
] as const;

export const pageMessageSchema = z.discriminatedUnion("kind", [
  /** The page listens; it is sent all that is known. */
  z.strictObject({ kind: z.literal("ready") }),
  z.strictObject({ kind: z.literal("command"), name: z.enum(pageCommands) }),
  /** The user did something on the page, so that it is not only looked at in passing. */
  z.strictObject({ kind: z.literal("used") }),
  /** The page could not understand or draw something; without what it was about. */
  z.strictObject({ kind: z.literal("fault"), says: z.string().max(500) }),
]);

/** What a page keeps over a reload of the window. */
export const pageStateSchema = z.object({
  version: z.literal(1),
  key: z.string().min(1).max(8192),
  title: z.string().max(500),
});

export type AgentLink = z.infer<typeof agentLinkSchema>;
export type HostMessage = z.infer<typeof hostMessageSchema>;
export type PageMessage = z.infer<typeof pageMessageSchema>;
export type PageCommand = (typeof pageCommands)[number];
export type PageState = z.infer<typeof pageStateSchema>;
