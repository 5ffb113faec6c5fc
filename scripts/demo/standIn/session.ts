// One running session of the stand-in as it stands on the disk: its record, the conversation it holds now, and the turn
// it is in. What happens in which order is the performer's business.
import type { Assignment, PastTurn } from "../steps.ts";
import { Conversation, transcriptPath } from "./conversation.ts";
import { aside, type Place, type TranscriptLine } from "./envelope.ts";
import type { Ids } from "./ids.ts";
import { caveatLine, commandLine, commandOutputLine, commandSystemLine } from "./localCommandLines.ts";
import type { PidRecordFile, RecordState, RecordStatus } from "./pidRecord.ts";
import {
  callLine,
  promptLine,
  resultLine,
  textLine,
  turnEndLine,
  type Message,
  type ToolResult,
  type TurnPosition,
} from "./transcriptLines.ts";

export interface CallPlace {
  readonly toolUseId: string;
  readonly callUuid: string;
}

export class Session {
  readonly ids: Ids;
  conversation: Conversation;
  turn: TurnPosition;
  private readonly assignment: Assignment;
  private readonly configDir: string;
  private readonly record: PidRecordFile;
  private state: RecordState;
  private turnBeganAt = 0;
  private title: string | undefined;

  constructor(assignment: Assignment, configDir: string, record: PidRecordFile, ids: Ids) {
    this.assignment = assignment;
    this.configDir = configDir;
    this.record = record;
    this.ids = ids;
    this.conversation = this.conversationOf(assignment.sessionId);
    this.turn = { promptId: ids.uuid(), promptIndex: 0, turnIndex: 0 };
    this.state = {
      sessionId: assignment.sessionId,
      name: `${assignment.cwd.split("/").at(-1) ?? "session"}-${ids.hex(2)}`,
      nameSource: "derived",
      nameSince: Date.now(),
    };
    record.write(this.state);
  }

  says(status: RecordStatus, waitingFor?: string): void {
    const now = Date.now();
    const said = { status, ...(waitingFor === undefined ? {} : { waitingFor }), updatedAt: now, statusUpdatedAt: now };
    this.state = { ...this.state, said };
    this.record.write(this.state);
  }

  /** What an earlier process of this conversation wrote. */
  remember(past: PastTurn): void {
    const { envelope } = this.conversation;
    const at = Date.now() - past.minutesAgo * 60_000;
    this.nextTurn();
    this.add((place) => promptLine(envelope, place, this.turn, past.prompt), at - 20_000);
    const message = this.message();
    this.add((place) => textLine(envelope, place, message, past.answer, "end_turn"), at - 100);
    const sum = { durationMs: 19_900, messageCount: this.conversation.count, pendingSubagents: 0 };
    this.add((place) => turnEndLine(envelope, place, sum), at);
  }

  prompt(text: string): void {
    const { conversation } = this;
    const { envelope } = conversation;
    const { sessionId } = envelope;
    this.nextTurn();
    if (conversation.count === 0)
      conversation.note(aside.mode(sessionId), aside.permissionMode(sessionId, "default"), aside.atisLatch(sessionId));
    const uuid = this.add((place) => promptLine(envelope, place, this.turn, text));
    conversation.note(aside.fileHistory(uuid, Date.now()), aside.lastPrompt(sessionId, text, uuid));
  }

  nextTurn(): void {
    const { promptIndex, turnIndex } = this.turn;
    this.turn = { promptId: this.ids.uuid(), promptIndex: promptIndex + 1, turnIndex: turnIndex + 1 };
    this.turnBeganAt = Date.now();
  }

  /** @param how what is asked in plan mode goes through the agent's classifier, which leaves its mark */
  call(tool: string, input: unknown, words: string, how: "plain" | "classified" = "plain"): CallPlace {
    const { envelope } = this.conversation;
    const plain = this.message();
    const message = how === "plain" ? plain : { ...plain, classifierRequest: this.ids.uuid() };
    const id = `toolu_demo${this.ids.token(18)}`;
    this.add((place) => textLine(envelope, place, message, words, "tool_use"));
    const second = { ...message, blockIndex: 1 };
    const callUuid = this.add((place) => callLine(envelope, place, second, { id, name: tool, input }));
    return { toolUseId: id, callUuid };
  }

  result(result: ToolResult): void {
    this.add((place) => resultLine(this.conversation.envelope, place, this.turn, result));
  }

  endTurn(text: string, pendingSubagents: number): void {
    const { conversation } = this;
    const { envelope } = conversation;
    const message = this.message();
    this.add((place) => textLine(envelope, place, message, text, "end_turn"));
    const durationMs = Date.now() - this.turnBeganAt;
    const sum = { durationMs, messageCount: conversation.count, pendingSubagents };
    this.add((place) => turnEndLine(envelope, place, sum));
  }

  titleIs(title: string): void {
    this.conversation.note(aside.aiTitle(this.conversation.envelope.sessionId, title));
  }

  rename(title: string): void {
    const { envelope } = this.conversation;
    const output = `Session renamed to: ${title}`;
    this.title = title;
    this.noteTitle(title);
    this.add((place) => commandSystemLine(envelope, place, "rename", title));
    this.add((place) => commandOutputLine(envelope, place, { command: "rename", args: title, output }));
    this.state = { ...this.state, name: title, nameSource: "user", nameSince: Date.now() };
    this.record.write(this.state);
  }

  /** The process goes on with a conversation of a new id, in a new file. */
  clear(): void {
    const sessionId = this.ids.uuid();
    this.conversation = this.conversationOf(sessionId);
    this.turn = { promptId: this.ids.uuid(), promptIndex: 0, turnIndex: 0 };
    const { conversation } = this;
    const { envelope } = conversation;
    if (this.title !== undefined) this.noteTitle(this.title);
    conversation.note(aside.mode(sessionId), aside.atisLatch(sessionId));
    this.add((place) => caveatLine(envelope, place));
    this.add((place) => commandLine(envelope, place, "clear"));
    this.add((place) => commandOutputLine(envelope, place, { command: "clear", args: "", output: "" }));
    this.state = { ...this.state, sessionId };
    this.says("idle");
  }

  message(): Message {
    return newMessage(this.ids);
  }

  /** @returns the line's uuid */
  add(line: (place: Place) => TranscriptLine, at?: number): string {
    return this.conversation.add(line, at);
  }

  private noteTitle(title: string): void {
    const { sessionId } = this.conversation.envelope;
    this.conversation.note(aside.customTitle(sessionId, title), aside.agentName(sessionId, title));
  }

  private conversationOf(sessionId: string): Conversation {
    const { cwd, entrypoint } = this.assignment;
    const envelope = { sessionId, processSessionId: this.assignment.sessionId, cwd, entrypoint };
    return new Conversation(transcriptPath(this.configDir, cwd, sessionId), envelope, this.ids);
  }
}

export function newMessage(ids: Ids): Message {
  return {
    id: `msg_demo${ids.token(20)}`,
    requestId: `req_demo${ids.token(20)}`,
    requestRef: ids.uuid(),
    blockIndex: 0,
  };
}
