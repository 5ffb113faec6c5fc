// A transcript as the agent writes it, line by line as a session goes on.
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { World } from "./standInSession.ts";

export class StandInTranscript {
  private readonly path: string;
  private readonly id: string;
  private readonly world: World;
  private lines = 0;

  constructor(world: World, id: string) {
    this.world = world;
    this.id = id;
    const folder = join(world.configDir, "projects", "-scratch");
    mkdirSync(folder, { recursive: true });
    this.path = join(folder, `${id}.jsonl`);
  }

  prompt(text: string, agoMs = 0): void {
    this.write({ type: "user", origin: { kind: "human" }, message: { role: "user", content: text } }, agoMs);
  }

  call(id: string, name: string, input: object, agoMs = 0): void {
    const message = {
      model: "claude-opus-5-5",
      stop_reason: "tool_use",
      content: [{ type: "tool_use", id, name, input }],
    };
    this.write({ type: "assistant", message }, agoMs);
  }

  result(id: string, agoMs = 0, isError = false): void {
    const content = [{ type: "tool_result", tool_use_id: id, is_error: isError }];
    this.write({ type: "user", message: { role: "user", content } }, agoMs);
  }

  turnEnd(agoMs = 0): void {
    this.write({ type: "system", subtype: "turn_duration" }, agoMs);
  }

  write(record: object, agoMs = 0): void {
    this.lines += 1;
    const timestamp = new Date(Date.now() - agoMs).toISOString();
    const frame = { sessionId: this.id, uuid: `${this.id}-${this.lines}`, cwd: this.world.folder, timestamp };
    appendFileSync(this.path, `${JSON.stringify({ ...frame, ...record })}\n`);
  }
}
