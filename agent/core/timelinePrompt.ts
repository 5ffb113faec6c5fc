// What a turn was asked, in a few words, and by whom. The words are for the user's own screen and never for a log.
import type { TranscriptLine } from "../../protocol/files/transcript.ts";
import type { TimelineTurn } from "../../protocol/sessionDetail.ts";
import { shortText } from "./shortText.ts";
import { recordText } from "./transcriptEvents.ts";

export interface AskedTurn {
  readonly prompt: string | undefined;
  readonly askedBy: TimelineTurn["askedBy"];
}

export function promptOf(line: TranscriptLine): AskedTurn {
  const text = recordText(line).trimStart();
  if (line.origin?.kind === "task-notification" || text.startsWith("<task-notification>")) {
    const summary = /<summary>([^<]{1,2000})<\/summary>/.exec(text)?.[1];
    return { prompt: shortText(summary ?? "a background task ended"), askedBy: "task" };
  }
  return { prompt: shortText(text), askedBy: askedBy(line.origin?.kind) };
}

function askedBy(origin: string | undefined): AskedTurn["askedBy"] {
  if (origin === undefined) return "unknown";
  return origin === "human" ? "person" : "program";
}
