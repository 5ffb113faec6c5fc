// The lines that the coding agent writes into a transcript, with the envelope it gives them, one call for each kind.
// Every record is a second later than the one before unless `at` says else.
import { randomUUID } from "node:crypto";

export interface TranscriptEnvelope {
  readonly sessionId: string;
  readonly cwd: string;
  /** Epoch milliseconds of the first record. */
  readonly from: number;
}

type Json = Readonly<Record<string, unknown>>;

export class TranscriptLines {
  private readonly envelope: TranscriptEnvelope;
  private readonly written: string[] = [];
  private next: number;
  private count = 0;

  constructor(envelope: TranscriptEnvelope) {
    this.envelope = envelope;
    this.next = envelope.from;
  }

  get lines(): readonly string[] {
    return this.written;
  }

  get text(): string {
    return this.written.map((line) => `${line}\n`).join("");
  }

  /** When the last record was written. */
  get lastAt(): number {
    return this.next - 1_000;
  }

  /** The time of the next record. */
  at(epochMs: number): this {
    this.next = epochMs;
    return this;
  }

  prompt(text = "please do it", more: Json = {}): this {
    return this.record("user", {
      message: { role: "user", content: text },
      origin: { kind: "human" },
      promptSource: "typed",
      ...more,
    });
  }

  /** Text of the agent; `end_turn` ends its turn. */
  says(text = "It is done.", stopReason: string | null = "end_turn", more: Json = {}): this {
    return this.assistant([{ type: "text", text }], stopReason, more);
  }

  thinks(stopReason: string | null = "tool_use"): this {
    return this.assistant([{ type: "thinking", thinking: "Let me see.", signature: "c2ln" }], stopReason);
  }

  calls(tool: string, toolUseId: string, stopReason: string | null = "tool_use", more: Json = {}): this {
    return this.assistant([{ type: "tool_use", id: toolUseId, name: tool, input: {} }], stopReason, more);
  }

  answers(toolUseId: string, more: Json = {}): this {
    const content = [{ type: "tool_result", tool_use_id: toolUseId, content: "done", is_error: false }];
    return this.record("user", { message: { role: "user", content }, ...more });
  }

  /** What the agent itself writes behind a turn that ended in order. */
  turnEnds(more: Json = {}): this {
    return this.record("system", { subtype: "turn_duration", durationMs: 800, messageCount: 3, ...more });
  }

  interrupted(marker = "[Request interrupted by user]"): this {
    return this.record("user", {
      message: { role: "user", content: [{ type: "text", text: marker }] },
      rowSource: "harness",
    });
  }

  rejected(toolUseId: string): this {
    this.record("user", {
      message: {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: toolUseId, content: "The tool use was rejected.", is_error: true },
        ],
      },
      toolUseResult: "User rejected tool use",
      toolDenialKind: "user-rejected",
    });
    return this.interrupted("[Request interrupted by user for tool use]");
  }

  failed(error: string, apiErrorStatus: number | undefined, text = "API Error", more: Json = {}): this {
    return this.record("assistant", {
      message: {
        role: "assistant",
        model: "<synthetic>",
        content: [{ type: "text", text }],
        stop_reason: "stop_sequence",
      },
      isApiErrorMessage: true,
      error,
      ...(apiErrorStatus === undefined ? {} : { apiErrorStatus }),
      ...more,
    });
  }

  /** A finished task, as the harness tells the agent of it. */
  taskEnded(taskId: string, status = "completed"): this {
    const content = `<task-notification>\n<task-id>${taskId}</task-id>\n<status>${status}</status>\n</task-notification>`;
    this.raw({ type: "queue-operation", operation: "enqueue", timestamp: this.time(), content });
    return this.prompt(content, { origin: { kind: "task-notification" }, promptSource: "system" });
  }

  assistant(content: readonly Json[], stopReason: string | null, more: Json = {}): this {
    this.count += 1;
    const id = `msg_${this.count}`;
    const message = {
      id,
      type: "message",
      role: "assistant",
      model: "claude-opus-5-5",
      content,
      stop_reason: stopReason,
    };
    return this.record("assistant", { message, requestId: `req_${this.count}`, ...more });
  }

  record(type: string, fields: Json): this {
    const { sessionId, cwd } = this.envelope;
    return this.raw({
      uuid: randomUUID(),
      parentUuid: null,
      isSidechain: false,
      type,
      timestamp: this.time(),
      userType: "external",
      entrypoint: "cli",
      cwd,
      sessionId,
      version: "2.1.332",
      ...fields,
    });
  }

  /** A whole record of its own, or a line's text as it is. */
  raw(line: Json | string): this {
    this.written.push(typeof line === "string" ? line : JSON.stringify(line));
    return this;
  }

  private time(): string {
    const at = new Date(this.next).toISOString();
    this.next += 1_000;
    return at;
  }
}
