// A row that stands for a process alone gives way to its conversation's, also where that is only found because the
// process ended: it still stands in exactly one row. Found by random histories.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ProcessFacts } from "../../../../agent/core/processes.ts";
import {
  facts,
  lines,
  look,
  observe,
  rowsAt,
  second,
  table,
  tableHost,
  transcriptFacts,
  transcriptRead,
} from "./builders.ts";

const process = (startToken: string, conversationId?: string): ProcessFacts =>
  facts({
    pid: 21,
    startToken,
    startedAt: second(Number(startToken) - 1_000),
    role: { kind: "session", conversationId },
  });
const transcript = (at: number, id: string) =>
  transcriptRead(second(at), id, transcriptFacts(id, [lines.prompt(second(0))]));

describe("a process that stood alone and has ended", () => {
  const histories = {
    "another process of its pid held a conversation of its own": [
      transcript(1, "s1"),
      look(second(2), process("600")),
      table(second(3), [process("500")]),
      look(second(4), process("500", "s3")),
    ],
    "one of two conversations that it may have held turned out to be another's": [
      look(second(1), process("600")),
      transcript(2, "s1"),
      transcript(3, "s3"),
      look(second(4), process("500", "s1")),
    ],
  };
  for (const [name, events] of Object.entries(histories))
    it(`stands in the ended row of its conversation: ${name}`, () => {
      const rows = rowsAt(observe(events, tableHost), second(5), true);
      const began = new Date(second(-400)).toISOString();
      const ofProcess = rows.filter(({ startedAt }) => startedAt === began);
      assert.deepEqual(
        ofProcess.map(({ liveness }) => liveness.kind),
        ["ended"],
      );
    });
});
