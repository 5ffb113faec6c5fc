// The agent's memory on disk, for its next start. A memory that cannot be read is said so in the log and kept aside, and
// the agent begins with what its sources tell: it is a convenience, never the only copy of anything. But a later version,
// which wrote what this one cannot read, finds it again.
import { rename } from "node:fs/promises";
import { describeError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { writeFileDurably } from "../../base/node/atomicFile.ts";
import { readBounded } from "../../base/node/readBounded.ts";
import { agentMemorySchema, type AgentMemory } from "../core/memorySchema.ts";

export type MemoryRead =
  | { readonly kind: "read"; readonly memory: AgentMemory }
  | { readonly kind: "first-start" }
  | { readonly kind: "unreadable"; readonly cause: string };

export async function readLastKnown(path: string): Promise<MemoryRead> {
  const read = await readBounded(path, limits.lastKnownBytes, limits.fileReadDeadlineMs);
  switch (read.kind) {
    case "absent":
      return { kind: "first-start" };
    case "unreadable":
      return read;
    case "read":
      try {
        return { kind: "read", memory: agentMemorySchema.parse(JSON.parse(read.bytes.toString("utf8"))) };
      } catch (error) {
        return { kind: "unreadable", cause: describeError(error).slice(0, 200) };
      }
  }
}

/** What could not be read, out of the way of what is written next; of several the last one. Returns where it is. */
export async function keepUnreadAside(path: string): Promise<string> {
  const aside = `${path}.unread`;
  await rename(path, aside);
  return aside;
}

export async function writeLastKnown(path: string, memory: AgentMemory): Promise<void> {
  await writeFileDurably(path, `${JSON.stringify(memory)}\n`);
}
