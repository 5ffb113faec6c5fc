// A disk that was full leaves half a record, and the next one is appended to the same line. What can be told from such
// a line is the record at its end, if that is whole; the half before it is lost and counted.
import { readTranscriptLine, type TranscriptLine } from "../../protocol/files/transcript.ts";

const starts = '{"';
/** Places in a line at which a record is looked for; from its end, where a whole one has to stand. */
const attempts = 64;

/** The record that ends a line which is not JSON by itself; undefined where there is none. */
export function recordAtEnd(text: string): TranscriptLine | undefined {
  if (!text.endsWith("}")) return undefined;
  let from = text.length;
  let found: TranscriptLine | undefined;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    from = text.lastIndexOf(starts, from - 1);
    if (from <= 0) return found;
    const record = recordIn(text.slice(from));
    // An object inside a record has no session or time; the record around it may begin further left.
    if (record !== undefined) found = record;
  }
  return found;
}

function recordIn(text: string): TranscriptLine | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // eslint-disable-next-line no-restricted-syntax -- no record begins at this place; the caller looks further
    return undefined;
  }
  const record = readTranscriptLine(parsed);
  if (record === undefined) return undefined;
  const { sessionId, timestamp } = record;
  return sessionId === undefined && timestamp === undefined ? undefined : record;
}
