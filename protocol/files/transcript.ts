// The lines of a coding agent's transcript, `<config>/projects/<slug>/<session id>.jsonl`. The format is internal
// to the agent and changes monthly: only the fields that carry a fact are named, a field of an unexpected
// type counts as not told, an unknown record type is a record without facts. Read by hand and not by a schema:
// a start reads tens of thousands of lines, and the schema took longer for each than its JSON did.

export interface TranscriptLine {
  readonly type: string;
  readonly subtype: string | undefined;
  readonly uuid: string | undefined;
  readonly timestamp: string | undefined;
  readonly sessionId: string | undefined;
  /** The first conversation of the process that wrote the line: another one after `/clear` and in forks. */
  readonly session_id: string | undefined;
  /** Of the turn that the line belongs to; hooks tell the same. */
  readonly promptId: string | undefined;
  readonly isSidechain: boolean | undefined;
  readonly agentId: string | undefined;
  readonly isMeta: boolean | undefined;
  readonly isCompactSummary: boolean | undefined;
  readonly isApiErrorMessage: boolean | undefined;
  /** What stands in it was cut short by its user. */
  readonly isAbortedMidStream: boolean | undefined;
  readonly apiErrorStatus: number | undefined;
  readonly error: string | undefined;
  readonly cwd: string | undefined;
  readonly version: string | undefined;
  readonly entrypoint: string | undefined;
  readonly message: Message | undefined;
  readonly toolUseResult: ToolUseResult | undefined;
  readonly toolDenialKind: string | undefined;
  readonly interruptedMessageId: string | undefined;
  readonly compactMetadata:
    { readonly trigger: string | undefined; readonly preTokens: number | undefined } | undefined;
  readonly rowSource: string | undefined;
  readonly attachment: Attachment | undefined;
  readonly origin: { readonly kind: string | undefined } | undefined;
  readonly operation: string | undefined;
  readonly content: string | undefined;
  readonly customTitle: string | undefined;
  readonly agentName: string | undefined;
  readonly aiTitle: string | undefined;
  readonly lastPrompt: string | undefined;
  readonly summary: string | undefined;
  readonly relocatedCwd: string | undefined;
  readonly worktreeSession: { readonly worktreePath: string | undefined } | undefined;
  readonly forkedFrom: { readonly sessionId: string | undefined } | undefined;
}

export interface Message {
  readonly id: string | undefined;
  readonly model: string | undefined;
  readonly stop_reason: string | null | undefined;
  readonly content: string | readonly ContentBlock[] | undefined;
}

export interface ContentBlock {
  readonly type: string;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly text?: string | undefined;
  readonly tool_use_id?: string | undefined;
  readonly is_error?: boolean | undefined;
  /** What a tool was called with; looked at only where a session is watched closely. */
  readonly input?: unknown;
}

export interface ToolUseResult {
  readonly backgroundTaskId: string | undefined;
  readonly taskId: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly status: string | undefined;
  readonly agentId: string | undefined;
  readonly task_id: string | undefined;
  readonly shell_id: string | undefined;
}

export interface Attachment {
  readonly type: string | undefined;
  readonly taskId: string | undefined;
  readonly taskType: string | undefined;
  readonly status: string | undefined;
  readonly shell: { readonly kind: string | undefined } | undefined;
}

/** Ids, names and paths; a longer one is none. */
const nameChars = 4096;

/** Undefined for what is no record: one has a type. */
export function readTranscriptLine(value: unknown): TranscriptLine | undefined {
  const line = fieldsOf(value);
  if (line === undefined || typeof line["type"] !== "string") return undefined;
  return {
    type: line["type"],
    subtype: name(line["subtype"]),
    uuid: name(line["uuid"]),
    timestamp: name(line["timestamp"]),
    sessionId: name(line["sessionId"]),
    session_id: name(line["session_id"]),
    promptId: name(line["promptId"]),
    isSidechain: flag(line["isSidechain"]),
    agentId: name(line["agentId"]),
    isMeta: flag(line["isMeta"]),
    isCompactSummary: flag(line["isCompactSummary"]),
    isApiErrorMessage: flag(line["isApiErrorMessage"]),
    isAbortedMidStream: flag(line["isAbortedMidStream"]),
    apiErrorStatus: count(line["apiErrorStatus"]),
    error: name(line["error"]),
    cwd: name(line["cwd"]),
    version: name(line["version"]),
    entrypoint: name(line["entrypoint"]),
    message: message(fieldsOf(line["message"])),
    toolUseResult: toolUseResult(fieldsOf(line["toolUseResult"])),
    toolDenialKind: name(line["toolDenialKind"]),
    interruptedMessageId: name(line["interruptedMessageId"]),
    compactMetadata: within(line["compactMetadata"], (it) => ({
      trigger: name(it["trigger"]),
      preTokens: count(it["preTokens"]),
    })),
    rowSource: name(line["rowSource"]),
    attachment: within(line["attachment"], attachment),
    origin: within(line["origin"], kindOf),
    operation: name(line["operation"]),
    content: text(line["content"]),
    customTitle: text(line["customTitle"]),
    agentName: text(line["agentName"]),
    aiTitle: text(line["aiTitle"]),
    lastPrompt: text(line["lastPrompt"]),
    summary: text(line["summary"]),
    relocatedCwd: name(line["relocatedCwd"]),
    worktreeSession: within(line["worktreeSession"], (it) => ({ worktreePath: name(it["worktreePath"]) })),
    forkedFrom: within(line["forkedFrom"], (it) => ({ sessionId: name(it["sessionId"]) })),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function message(it: Fields | undefined): Message | undefined {
  if (it === undefined) return undefined;
  const stopReason = it["stop_reason"];
  const content = it["content"];
  return {
    id: name(it["id"]),
    model: name(it["model"]),
    stop_reason: stopReason === null ? null : text(stopReason),
    content: Array.isArray(content) ? content.map(contentBlock) : text(content),
  };
}

function contentBlock(value: unknown): ContentBlock {
  const it = fieldsOf(value);
  if (it === undefined || typeof it["type"] !== "string") return { type: "unreadable" };
  return {
    type: it["type"],
    id: name(it["id"]),
    name: name(it["name"]),
    text: text(it["text"]),
    tool_use_id: name(it["tool_use_id"]),
    is_error: flag(it["is_error"]),
    input: it["input"],
  };
}

function toolUseResult(it: Fields | undefined): ToolUseResult | undefined {
  if (it === undefined) return undefined;
  return {
    backgroundTaskId: name(it["backgroundTaskId"]),
    taskId: name(it["taskId"]),
    timeoutMs: count(it["timeoutMs"]),
    status: name(it["status"]),
    agentId: name(it["agentId"]),
    task_id: name(it["task_id"]),
    shell_id: name(it["shell_id"]),
  };
}

function attachment(it: Fields): Attachment {
  return {
    type: name(it["type"]),
    taskId: name(it["taskId"]),
    taskType: name(it["taskType"]),
    status: name(it["status"]),
    shell: within(it["shell"], kindOf),
  };
}

function kindOf(it: Fields): { readonly kind: string | undefined } {
  return { kind: name(it["kind"]) };
}

function within<T>(value: unknown, read: (it: Fields) => T): T | undefined {
  const it = fieldsOf(value);
  return it === undefined ? undefined : read(it);
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function name(value: unknown): string | undefined {
  return typeof value === "string" && value.length <= nameChars ? value : undefined;
}

function flag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** JSON has no other numbers than finite ones, save those too large for one. */
function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
