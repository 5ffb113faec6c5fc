// Several shapes of one case in one HOME: a live session for each, all seen by one `ls`, each with what it must say.
import assert from "node:assert/strict";
import { sessionId, type CaseHome, type CaseRoster } from "./caseHome.ts";
import type { TranscriptLines } from "./transcriptLines.ts";

export interface Shape {
  readonly name: string;
  readonly record: Readonly<Record<string, unknown>>;
  readonly lines: (lines: TranscriptLines) => unknown;
  /** As `CaseRoster.says` tells it. */
  readonly says: string;
}

export async function checkShapes(home: CaseHome, shapes: readonly Shape[]): Promise<CaseRoster> {
  for (const [index, { record, lines }] of shapes.entries()) home.session(sessionId(index), record, lines);
  const roster = await home.ls();
  assert.deepEqual(
    shapes.map(({ name }, index) => `${name}: ${roster.says(sessionId(index))}`),
    shapes.map(({ name, says }) => `${name}: ${says}`),
  );
  return roster;
}

/** What a record says that has this status since then. */
export function since(at: number, status: string | undefined, waitingFor?: string): Readonly<Record<string, unknown>> {
  return { status, waitingFor, statusUpdatedAt: at, updatedAt: at };
}
