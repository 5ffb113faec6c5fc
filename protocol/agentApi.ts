// The agent's methods, as typed constants that both sides import: a handler map that misses one does not
// compile, and whatever crosses the socket is validated with these schemas on both sides.
import { z } from "zod";
import { limits } from "../base/limits.ts";
import { restorePlanSchema, restoreSelectionSchema } from "./restore.ts";
import { rosterChangeSchema, rosterSchema } from "./roster.ts";
import { sessionDetailSchema } from "./sessionDetail.ts";
import { sessionDetailChangeSchema } from "./sessionDetailChange.ts";

/** Raised when an older peer could misread a newer one. */
export const agentProtocolVersion = 1;

const empty = z.strictObject({});
const oneSession = z.strictObject({ key: z.string().min(1).max(8192) });

/** What a person typed. It is checked by who writes it, who says in words what is wrong with it. */
const typed = z.string().max(64 * 1024);

/** What a write of the registry did. */
export const registryWrittenSchema = z.object({
  changed: z.boolean(),
  added: z.number().int(),
  updated: z.number().int(),
  departed: z.number().int(),
  removed: z.number().int(),
});

/** What a restore of the registry brought back, and where what could not be read is kept. */
export const registryRestoredSchema = z.object({
  restored: z.array(z.object({ sandbox: z.string(), id: z.string() })),
  aside: z.string().optional(),
});

export const agentMethods = {
  /** First call on a connection; names the config folders this client cares for. */
  initialize: {
    params: z.object({
      protocolVersion: z.number().int(),
      client: z.object({ name: z.string().max(100), version: z.string().max(100) }),
      configDirs: z.array(z.string().max(4096)).max(limits.addedFolders),
    }),
    result: z.object({
      protocolVersion: z.number().int(),
      agent: z.object({ version: z.string(), pid: z.number().int(), startedAt: z.iso.datetime(), dataDir: z.string() }),
    }),
  },
  /** The roster as of now; `all` adds what was not touched within a day. */
  "roster/get": { params: z.object({ all: z.boolean().optional() }), result: rosterSchema },
  /** The roster as of now; from then on `roster/changed` follows. */
  "roster/subscribe": { params: empty, result: rosterSchema },
  /** All there is to tell about one session. */
  "session/detail": { params: oneSession, result: sessionDetailSchema },
  /** The same; from then on `session/changed` follows, until it is watched no more or the connection ends. */
  "session/watch": { params: oneSession, result: sessionDetailSchema },
  "session/unwatch": { params: oneSession, result: empty },
  /** Looks at every source at once; answers when all of them answered or failed. */
  "observe/refresh": { params: empty, result: rosterSchema },
  "agent/health": {
    params: empty,
    result: z.object({
      uptimeMs: z.number(),
      clients: z.number().int(),
      residentBytes: z.number(),
      watchedFolders: z.number().int(),
      followedTranscripts: z.number().int(),
      knownProcesses: z.number().int(),
      logFile: z.string(),
      configDirs: z.array(z.string()),
      /** The registry that it writes; an agent of an earlier version writes none. */
      registry: z.string().optional(),
    }),
  },
  /** One session into a sandbox's slice; it starts now, as far as the registry is told. */
  "registry/put": {
    params: z.object({
      sandbox: typed,
      session: typed,
      cwd: typed.optional(),
      transcript: typed.optional(),
      name: typed.optional(),
    }),
    result: registryWrittenSchema,
  },
  /** A sandbox's whole slice; `entries` is JSON text, since numbers beyond a double and odd keys have to arrive as they are. */
  "registry/replace": {
    params: z.object({
      sandbox: typed,
      entries: z.string().max(limits.registryBytes / 4),
      mayBeEmpty: z.boolean(),
    }),
    result: registryWrittenSchema,
  },
  "registry/forget": {
    params: z.object({ session: typed, sandbox: typed.optional() }),
    result: registryWrittenSchema,
  },
  "registry/depart": {
    params: z.object({ session: typed, sandbox: typed.optional() }),
    result: registryWrittenSchema,
  },
  /** Brings back what another writer dropped, or what a generation of the journal had; nothing that stands there changes. */
  "registry/restore": {
    params: z.object({
      generation: z.number().int().positive().optional(),
      sessions: z.array(typed).max(limits.recordedSessions).optional(),
      sandbox: typed.optional(),
    }),
    result: registryRestoredSchema,
  },
  /** Whether the client is to tell a person that another writer dropped sessions: one of those who ask is, once. */
  "registry/tellOfDrops": {
    params: empty,
    result: z.discriminatedUnion("tell", [
      z.object({ tell: z.literal(false) }),
      z.object({ tell: z.literal(true), at: z.iso.datetime(), sessions: z.number().int() }),
    ]),
  },
  /** A write that waits until it can be done waits no more. */
  "registry/cancelIntent": {
    params: z.object({ intent: z.number().int().positive() }),
    result: z.object({ cancelled: z.boolean(), act: z.string().optional() }),
  },
  /** What a restore would do; nothing is started by it. */
  "restore/plan": { params: restoreSelectionSchema, result: restorePlanSchema },
  /** Of what this client claimed with a plan: it lives, or could not be started. */
  "restore/release": { params: z.object({ ids: z.array(z.string().max(8192)).max(1_000) }), result: empty },
  /** Ends the agent in order; clients of a newer version use it to take its place. */
  "agent/stop": { params: empty, result: empty },
} as const;

export const agentNotifications = {
  "roster/changed": rosterChangeSchema,
  "session/changed": sessionDetailChangeSchema,
} as const;

export type AgentMethod = keyof typeof agentMethods;
export type AgentParams<M extends AgentMethod> = z.input<(typeof agentMethods)[M]["params"]>;
export type AgentResult<M extends AgentMethod> = z.output<(typeof agentMethods)[M]["result"]>;
export type AgentHandlers = {
  readonly [M in AgentMethod]: (params: AgentParams<M>) => Promise<AgentResult<M>> | AgentResult<M>;
};
