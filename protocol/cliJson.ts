// What the commands print with `--json` besides the roster itself: for scripts, so fields may be added, none
// renamed. `ls` prints a roster, `watch` a roster and then one rosterChange a line.
import { z } from "zod";
import { agentMethods } from "./agentApi.ts";
import { sessionSchema, sourceStateSchema } from "./roster.ts";

const version = z.literal(1);

/** `rollcall why --json`: one row, and the sources it rests on. */
export const whyJsonSchema = z.strictObject({
  version,
  session: sessionSchema,
  sources: z.array(sourceStateSchema),
});

/** `rollcall doctor --json`; `ok` is false when any finding is. */
export const doctorJsonSchema = z.strictObject({
  version,
  ok: z.boolean(),
  findings: z.array(z.strictObject({ ok: z.boolean(), what: z.string(), says: z.string() })),
});

/** `rollcall agent status --json`. */
export const agentStatusJsonSchema = z.discriminatedUnion("running", [
  z.strictObject({ version, running: z.literal(false) }),
  z.strictObject({
    version,
    running: z.literal(true),
    agentVersion: z.string(),
    ...agentMethods.initialize.result.shape.agent.omit({ version: true }).shape,
    ...agentMethods["agent/health"].result.shape,
  }),
]);

export type WhyJson = z.input<typeof whyJsonSchema>;
export type DoctorJson = z.input<typeof doctorJsonSchema>;
export type AgentStatusJson = z.input<typeof agentStatusJsonSchema>;
