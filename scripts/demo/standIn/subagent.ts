// A subagent's own transcript and its meta file, beside its session's, as Claude Code 2.1.332 writes them.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SubagentTask, ToolUse } from "../steps.ts";
import { Conversation } from "./conversation.ts";
import { model } from "./envelope.ts";
import type { Ids } from "./ids.ts";
import { newMessage } from "./session.ts";
import type { ToolProcesses } from "./toolProcesses.ts";
import { commandBySettings, callLine, promptLine, resultLine, textLine, type TurnPosition } from "./transcriptLines.ts";

export interface SubagentWork {
  readonly id: string;
  readonly toolUseId: string;
  readonly task: SubagentTask;
  readonly parent: Conversation;
  readonly turn: TurnPosition;
  readonly ids: Ids;
  readonly tools: ToolProcesses;
  readonly pause: (seconds: number) => Promise<void>;
}

/** Resolves when the subagent has reported. */
export async function workAsSubagent(work: SubagentWork): Promise<void> {
  const { id, task, parent, turn, ids } = work;
  const envelope = { ...parent.envelope, agentId: id };
  const base = join(parent.path.replace(/\.jsonl$/, ""), "subagents", `agent-${id}`);
  writeMeta(`${base}.meta.json`, subagentMeta(work, false));
  const own = new Conversation(`${base}.jsonl`, envelope, ids);
  own.add((place) => promptLine(envelope, place, turn, task.prompt));
  await work.pause(1);
  for (const use of task.uses) await useTool(work, own, use);
  const message = newMessage(ids);
  own.add((place) => textLine(envelope, place, message, task.report, "end_turn"));
  writeMeta(`${base}.meta.json`, subagentMeta(work, true));
}

async function useTool({ ids, tools, turn, pause }: SubagentWork, own: Conversation, use: ToolUse): Promise<void> {
  const { envelope } = own;
  const message = newMessage(ids);
  const id = `toolu_demo${ids.token(18)}`;
  own.add((place) => textLine(envelope, place, message, `I use ${use.tool}.`, "tool_use"));
  const second = { ...message, blockIndex: 1 };
  const callUuid = own.add((place) => callLine(envelope, place, second, { id, name: use.tool, input: use.input }));
  await (use.tool === "Bash" ? tools.run(use.seconds) : pause(use.seconds));
  const detail = { stdout: use.output, stderr: "", interrupted: false, isImage: false, noOutputExpected: false };
  const result = { toolUseId: id, callUuid, content: use.output, detail, permission: commandBySettings };
  own.add((place) => resultLine(envelope, place, turn, { ...result, kind: "command" }));
}

export function subagentMeta(
  work: Pick<SubagentWork, "toolUseId"> & { readonly task: Pick<SubagentTask, "description"> },
  finished: boolean,
): Readonly<Record<string, unknown>> {
  return {
    agentType: "general-purpose",
    isBuiltIn: true,
    launchedWithDefaults: true,
    description: work.task.description,
    toolUseId: work.toolUseId,
    spawnDepth: 1,
    requestShape: "background",
    requestNonInteractive: true,
    model,
    modelNotNamed: true,
    pickedEffortModel: model,
    ...(finished ? { finished: true } : {}),
  };
}

function writeMeta(path: string, meta: Readonly<Record<string, unknown>>): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, JSON.stringify(meta), { mode: 0o600 });
}
