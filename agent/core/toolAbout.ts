// What a tool call is about, in a few words taken from its input: a command, a file, a question. Only these named
// fields are looked at; what it says is for the user's own screen and never for a log.
import { z } from "zod";
import { shortText } from "./shortText.ts";

const text = z.string().optional().catch(undefined);

const toolInputSchema = z
  .object({
    command: text,
    file_path: text,
    notebook_path: text,
    path: text,
    pattern: text,
    query: text,
    url: text,
    skill: text,
    subject: text,
    description: text,
    questions: z
      .array(z.object({ question: text }))
      .optional()
      .catch(undefined),
  })
  .catch({});

/** Undefined where no field tells. */
export function toolAbout(input: unknown): string | undefined {
  const told = toolInputSchema.parse(input);
  return shortText(
    told.command ??
      told.file_path ??
      told.notebook_path ??
      told.pattern ??
      told.path ??
      told.query ??
      told.url ??
      told.skill ??
      told.subject ??
      told.description ??
      told.questions?.[0]?.question,
  );
}
