// Does the steps of an assignment as the real agent would: in its record, its transcript, its processes. Each step
// writes in the order, and about with the delays, that recordings of Claude Code 2.1.332 show.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { unreachable } from "../../../base/errors.ts";
import type { Assignment, Step, ToolUse } from "../steps.ts";
import { BackgroundTasks } from "./backgroundTasks.ts";
import { seededIds } from "./ids.ts";
import type { PidRecordFile } from "./pidRecord.ts";
import { Session } from "./session.ts";
import { ToolProcesses } from "./toolProcesses.ts";
import {
  abortedLine,
  apiErrorLine,
  bySettings,
  byUser,
  commandBySettings,
  byUserForSession,
  interruptedLine,
} from "./transcriptLines.ts";

export class Performer {
  readonly tools: ToolProcesses;
  private readonly assignment: Assignment;
  private readonly configDir: string;
  private readonly session: Session;
  private readonly background: BackgroundTasks;

  constructor(assignment: Assignment, configDir: string, record: PidRecordFile) {
    this.assignment = assignment;
    this.configDir = configDir;
    this.tools = new ToolProcesses(assignment.pace);
    const ids = seededIds(assignment.seed);
    this.session = new Session(assignment, configDir, record, ids);
    this.background = new BackgroundTasks(configDir, ids, this.tools, (seconds) => this.pause(seconds));
  }

  async perform(): Promise<void> {
    const { assignment, session } = this;
    if (assignment.past !== undefined) session.remember(assignment.past);
    await this.pause(0.3);
    session.says("idle");
    await this.play(assignment.opening, assignment.beganAt);
    const roundMs = assignment.roundSeconds * assignment.pace * 1000;
    while (!session.conversation.isFull()) {
      const round = Math.floor((Date.now() - assignment.beganAt) / roundMs);
      await this.play(assignment.round, assignment.beganAt + round * roundMs);
      await delay(Math.max(0, assignment.beganAt + (round + 1) * roundMs - Date.now()));
    }
  }

  async play(steps: readonly Step[], beganAt: number): Promise<void> {
    for (const step of steps) await this.do(step, beganAt);
  }

  private async do(step: Step, beganAt: number): Promise<void> {
    const { session } = this;
    switch (step.do) {
      case "until":
        await delay(Math.max(0, beganAt + step.second * this.assignment.pace * 1000 - Date.now()));
        return;
      case "pause":
        return this.pause(step.seconds);
      case "prompt":
        session.prompt(step.text);
        session.says("busy");
        return this.pause(1);
      case "title":
        session.titleIs(step.text);
        return;
      case "rename":
        session.rename(step.title);
        return;
      case "tool":
        return this.useTool(step.use, step.asksForSeconds);
      case "question":
        return this.ask(step);
      case "plan":
        return this.plan(step);
      case "background":
        return this.startShell(step);
      case "subagents":
        return this.startSubagents(step);
      case "answer":
        this.answer(step.text);
        return;
      case "settle":
        return this.settle();
      case "interrupted":
        return this.interrupted(step.text);
      case "fails":
        this.fail(step);
        return;
      case "clear":
        session.clear();
        return;
      case "killed":
        return this.die(step.use, step.afterSeconds);
      default:
        return unreachable(step);
    }
  }

  private pause(seconds: number): Promise<void> {
    return delay(seconds * this.assignment.pace * 1000);
  }

  private async useTool(use: ToolUse, asksForSeconds: number | undefined): Promise<void> {
    const call = this.session.call(use.tool, use.input, `I use ${use.tool}.`);
    if (asksForSeconds !== undefined) await this.waitFor("permission prompt", asksForSeconds);
    await this.runTool(use);
    const { output } = use;
    const detail =
      use.tool === "Bash"
        ? { stdout: output, stderr: "", interrupted: false, isImage: false, noOutputExpected: output === "" }
        : { type: "text", file: { filePath: use.input["file_path"], content: output } };
    const permission = asksForSeconds === undefined ? (use.tool === "Bash" ? commandBySettings : bySettings) : byUser;
    this.session.result({ ...call, content: output, detail, permission, kind: "command" });
    await this.pause(0.5);
  }

  /** A dialog stands on the screen, then somebody answers it. */
  private async waitFor(waitingFor: string, seconds: number): Promise<void> {
    this.session.says("waiting", waitingFor);
    await this.pause(seconds);
    this.session.says("busy");
  }

  private runTool(use: ToolUse): Promise<void> {
    return use.tool === "Bash" ? this.tools.run(use.seconds) : this.pause(use.seconds);
  }

  private async ask(step: Extract<Step, { do: "question" }>): Promise<void> {
    const { question, header, options, answer } = step;
    const input = { questions: [{ question, header, multiSelect: false, options }] };
    const call = this.session.call("AskUserQuestion", input, "I have a question.");
    await this.waitFor("input needed", step.seconds);
    const content = `Your questions have been answered: "${question}"="${answer}". You can now continue with these answers in mind.`;
    const questions = [{ question, header, options, multiSelect: false }];
    const detail = { questions, answers: { [question]: answer }, annotations: {} };
    this.session.result({ ...call, content, detail, permission: byUser, kind: "dialog" });
    await this.pause(1);
  }

  private async plan(step: Extract<Step, { do: "plan" }>): Promise<void> {
    const call = this.session.call("ExitPlanMode", { plan: step.plan }, "Here is my plan.", "classified");
    await this.waitFor("permission prompt", step.seconds);
    const content = "User has approved exiting plan mode. You can now proceed.";
    const detail = { plan: null, isAgent: false, filePath: join(this.configDir, "plans", "plan.md") };
    this.session.result({ ...call, content, detail, permission: byUserForSession, kind: "dialog" });
    await this.pause(1);
  }

  private async startShell(step: Extract<Step, { do: "background" }>): Promise<void> {
    const { command, description } = step;
    const input = { command, description, run_in_background: true };
    const call = this.session.call("Bash", input, "I start it in the background.");
    this.background.startShell(this.session, call, step);
    await this.pause(0.5);
  }

  private async startSubagents({ tasks }: Extract<Step, { do: "subagents" }>): Promise<void> {
    for (const task of tasks) {
      const { description, prompt } = task;
      const input = { description, prompt, subagent_type: "general-purpose", run_in_background: true };
      const call = this.session.call("Agent", input, `I start a subagent: ${description}.`);
      this.background.startSubagent(this.session, call, task);
      await this.pause(0.5);
    }
  }

  private answer(text: string): void {
    const subagents = this.background.running("subagent");
    this.session.endTurn(text, subagents);
    // With subagents under way the record stays busy.
    if (subagents > 0) return;
    this.session.says(this.background.running("shell") > 0 ? "shell" : "idle");
  }

  private async settle(): Promise<void> {
    for (;;) {
      const ended = await this.background.nextEnd();
      if (ended === undefined) return;
      this.session.says("idle");
      this.background.notify(this.session, ended);
      this.session.says("busy");
      await this.pause(1);
      this.answer(ended.answer);
    }
  }

  private async interrupted(text: string): Promise<void> {
    const { session } = this;
    const { envelope } = session.conversation;
    const message = session.message();
    session.add((place) => abortedLine(envelope, place, message, text));
    session.add((place) => interruptedLine(envelope, place, session.turn, message.id));
    await this.pause(0.05);
    session.says("idle");
  }

  private fail(step: Extract<Step, { do: "fails" }>): void {
    const { session } = this;
    const { error, errorType, httpStatus, says } = step;
    const { requestId } = session.message();
    const failed = { messageId: session.ids.uuid(), requestId, error, errorType, httpStatus, says };
    session.add((place) => apiErrorLine(session.conversation.envelope, place, failed));
    session.says("idle");
  }

  private async die(use: ToolUse, afterSeconds: number): Promise<void> {
    this.session.call(use.tool, use.input, `I use ${use.tool}.`);
    void this.runTool(use);
    await this.pause(afterSeconds);
    process.kill(process.pid, "SIGKILL");
    await new Promise<never>(() => undefined);
  }
}
