// The work that goes on after a turn: background shells with their processes, subagents with transcripts of their own
// (subagent.ts), and what the session is told when one ends.
import { join } from "node:path";
import type { SubagentTask } from "../steps.ts";
import { aside, model } from "./envelope.ts";
import type { Ids } from "./ids.ts";
import type { CallPlace, Session } from "./session.ts";
import { workAsSubagent } from "./subagent.ts";
import type { ToolProcesses } from "./toolProcesses.ts";
import { bySettings, commandBySettings, notificationLine } from "./transcriptLines.ts";

export interface EndedTask {
  readonly id: string;
  readonly toolUseId: string;
  readonly outputFile: string;
  readonly at: number;
  readonly summary: string;
  /** What stands in the notification behind the summary. */
  readonly more: string;
  readonly answer: string;
}

interface Task {
  readonly kind: "shell" | "subagent";
  readonly done: Promise<EndedTask>;
}

export class BackgroundTasks {
  private readonly tasks = new Set<Task>();
  private readonly configDir: string;
  private readonly ids: Ids;
  private readonly tools: ToolProcesses;
  private readonly pause: (seconds: number) => Promise<void>;

  constructor(configDir: string, ids: Ids, tools: ToolProcesses, pause: (seconds: number) => Promise<void>) {
    this.configDir = configDir;
    this.ids = ids;
    this.tools = tools;
    this.pause = pause;
  }

  running(kind: Task["kind"]): number {
    return [...this.tasks].filter((task) => task.kind === kind).length;
  }

  /** The next task that ends; undefined where none runs. */
  async nextEnd(): Promise<EndedTask | undefined> {
    if (this.tasks.size === 0) return undefined;
    const first = await Promise.race([...this.tasks].map(async (task) => ({ task, ended: await task.done })));
    this.tasks.delete(first.task);
    return first.ended;
  }

  startShell(
    session: Session,
    call: CallPlace,
    shell: { readonly description: string; readonly seconds: number },
  ): void {
    const id = `b${this.ids.token(8)}`;
    const outputFile = this.outputFile(session, id);
    const content = `Command running in background with ID: ${id}. Output is being written to: ${outputFile}. You will be notified when it completes.`;
    const quiet = { stdout: "", stderr: "", interrupted: false, isImage: false, noOutputExpected: false };
    session.result({
      ...call,
      content,
      detail: { ...quiet, backgroundTaskId: id },
      permission: commandBySettings,
      kind: "command",
    });
    const ended = {
      id,
      toolUseId: call.toolUseId,
      outputFile,
      summary: `Background command "${shell.description}" completed (exit code 0)`,
      more: "",
      answer: `The background command "${shell.description}" has ended.`,
    };
    const done = this.tools.run(shell.seconds).then(() => ({ ...ended, at: Date.now() }));
    this.tasks.add({ kind: "shell", done });
  }

  startSubagent(session: Session, call: CallPlace, task: SubagentTask): void {
    const id = `a${this.ids.hex(16)}`;
    const outputFile = this.outputFile(session, id);
    const { description, prompt, report } = task;
    const text = `Async agent launched successfully. (This tool result is internal metadata.)\nagentId: ${id}\nThe agent is working in the background. You will be notified automatically when it completes.\noutput_file: ${outputFile}`;
    session.result({
      ...call,
      content: [{ type: "text", text }],
      detail: {
        isAsync: true,
        status: "async_launched",
        agentId: id,
        description,
        resolvedModel: model,
        prompt,
        outputFile,
        canReadOutputFile: true,
        canContinueAgent: true,
      },
      permission: bySettings,
      kind: "subagent",
    });
    const startedAt = Date.now();
    const work = workAsSubagent({
      id,
      toolUseId: call.toolUseId,
      task,
      parent: session.conversation,
      turn: session.turn,
      ids: this.ids,
      tools: this.tools,
      pause: this.pause,
    });
    const ended = { id, toolUseId: call.toolUseId, outputFile, summary: `Agent "${description}" finished` };
    const done = work.then((): EndedTask => {
      const usage = `<subagent_tokens>162</subagent_tokens><tool_uses>${task.uses.length}</tool_uses><duration_ms>${Date.now() - startedAt}</duration_ms>`;
      const more = `\n<result>${report}</result>\n<usage>${usage}</usage>`;
      return { ...ended, at: Date.now(), more, answer: `The subagent "${description}" reports: ${report}` };
    });
    this.tasks.add({ kind: "subagent", done });
  }

  /** Tells the model that a task ended, as a turn that nobody typed. */
  notify(session: Session, ended: EndedTask): void {
    const { conversation } = session;
    const { envelope } = conversation;
    const text = `<task-notification>\n<task-id>${ended.id}</task-id>\n<tool-use-id>${ended.toolUseId}</tool-use-id>\n<output-file>${ended.outputFile}</output-file>\n<status>completed</status>\n<summary>${ended.summary}</summary>${ended.more}\n</task-notification>`;
    conversation.note(
      aside.enqueued(envelope.sessionId, ended.at, text),
      aside.dequeued(envelope.sessionId, Date.now()),
    );
    session.nextTurn();
    const sent = { ...session.turn, runId: `${this.ids.token(9)}-${this.ids.hex(8)}`, sentAt: ended.at };
    session.add((place) => notificationLine(envelope, place, sent, text));
  }

  private outputFile(session: Session, id: string): string {
    return join(this.configDir, "tasks", session.conversation.envelope.sessionId, `${id}.output`);
  }
}
