// What every line of a transcript carries around its content, and where it stands: the tail of fields and the lines
// about the conversation that have no place in its chain.

export type TranscriptLine = Readonly<Record<string, unknown>>;

export const agentVersion = "2.1.332";
export const model = "claude-opus-5-5";

export interface Envelope {
  readonly sessionId: string;
  /** The first id of the process, which `/clear` does not change. */
  readonly processSessionId: string;
  readonly cwd: string;
  readonly entrypoint: string;
  /** Set on the lines of a subagent's own file. */
  readonly agentId?: string;
}

/** Where a line stands in the chain. */
export interface Place {
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly at: number;
}

export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

export function head(envelope: Envelope, place: Place): TranscriptLine {
  return { parentUuid: place.parentUuid, isSidechain: envelope.agentId !== undefined };
}

export function stamp(place: Place): TranscriptLine {
  return { uuid: place.uuid, timestamp: isoTime(place.at) };
}

export function agentMark(envelope: Envelope): TranscriptLine {
  return envelope.agentId === undefined ? {} : { agentId: envelope.agentId };
}

/** @param named lines that the model or a tool made name the process' session too */
export function tail(envelope: Envelope, named: boolean): TranscriptLine {
  return {
    ...(named && envelope.agentId === undefined ? { session_id: envelope.processSessionId } : {}),
    userType: "external",
    entrypoint: envelope.entrypoint,
    cwd: envelope.cwd,
    sessionId: envelope.sessionId,
    version: agentVersion,
    gitBranch: "HEAD",
  };
}

/** The lines without a place, which the agent writes again and again. */
export const aside = {
  mode: (sessionId: string): TranscriptLine => ({ type: "mode", mode: "normal", sessionId }),
  permissionMode: (sessionId: string, permissionMode: string): TranscriptLine => ({
    type: "permission-mode",
    permissionMode,
    sessionId,
  }),
  atisLatch: (sessionId: string): TranscriptLine => ({ type: "atis-latch", atis: "", sessionId }),
  lastPrompt: (sessionId: string, lastPrompt: string, leafUuid: string): TranscriptLine => ({
    type: "last-prompt",
    lastPrompt,
    leafUuid,
    sessionId,
  }),
  aiTitle: (sessionId: string, aiTitle: string): TranscriptLine => ({ type: "ai-title", aiTitle, sessionId }),
  customTitle: (sessionId: string, customTitle: string): TranscriptLine => ({
    type: "custom-title",
    customTitle,
    sessionId,
  }),
  agentName: (sessionId: string, agentName: string): TranscriptLine => ({ type: "agent-name", agentName, sessionId }),
  fileHistory: (messageId: string, at: number): TranscriptLine => ({
    type: "file-history-snapshot",
    messageId,
    snapshot: { messageId, trackedFileBackups: {}, timestamp: isoTime(at) },
    isSnapshotUpdate: false,
  }),
  enqueued: (sessionId: string, at: number, content: string): TranscriptLine => ({
    type: "queue-operation",
    operation: "enqueue",
    timestamp: isoTime(at),
    sessionId,
    content,
  }),
  dequeued: (sessionId: string, at: number): TranscriptLine => ({
    type: "queue-operation",
    operation: "dequeue",
    timestamp: isoTime(at),
    sessionId,
  }),
} as const;
