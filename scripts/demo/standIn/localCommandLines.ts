// The lines that a command of the agent's own leaves, such as `/clear` and `/rename`: they never go to the model.
import { head, stamp, tail, type Envelope, type Place, type TranscriptLine } from "./envelope.ts";

const caveat =
  "<local-command-caveat>The command below was run directly in Claude Code, not sent to you as a request, and its output goes straight to the user. It's recorded here as context for later messages.</local-command-caveat>";

export function caveatLine(envelope: Envelope, place: Place): TranscriptLine {
  return {
    ...head(envelope, place),
    type: "user",
    message: { role: "user", content: caveat },
    isMeta: true,
    rowSource: "harness",
    ...stamp(place),
    ...tail(envelope, false),
  };
}

/** `/clear` stands in the new conversation as a user's line. */
export function commandLine(envelope: Envelope, place: Place, command: string): TranscriptLine {
  return {
    ...head(envelope, place),
    type: "user",
    message: { role: "user", content: commandText(command, "") },
    ...stamp(place),
    rowSource: "local",
    ...tail(envelope, false),
  };
}

/** `/rename` stands in its conversation as a system line. */
export function commandSystemLine(envelope: Envelope, place: Place, command: string, args: string): TranscriptLine {
  return {
    ...head(envelope, place),
    type: "system",
    subtype: "local_command",
    content: commandText(command, args),
    level: "info",
    timestamp: stamp(place)["timestamp"],
    uuid: place.uuid,
    isMeta: false,
    ...tail(envelope, false),
  };
}

export function commandOutputLine(
  envelope: Envelope,
  place: Place,
  run: { readonly command: string; readonly args: string; readonly output: string },
): TranscriptLine {
  return {
    ...head(envelope, place),
    type: "system",
    subtype: "local_command",
    content: `<local-command-stdout>${run.output}</local-command-stdout>`,
    level: "info",
    timestamp: stamp(place)["timestamp"],
    uuid: place.uuid,
    isMeta: false,
    commandRun: { command: run.command, args: run.args },
    ...tail(envelope, false),
  };
}

function commandText(command: string, args: string): string {
  const indent = "            ";
  return `<command-name>/${command}</command-name>\n${indent}<command-message>${command}</command-message>\n${indent}<command-args>${args}</command-args>`;
}
