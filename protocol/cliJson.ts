// What the commands print with `--json` besides the roster itself: for scripts, so fields may be added, none
// renamed. `ls` prints a roster, `watch` a roster and then one rosterChange a line.
import { z } from "zod";
import { agentMethods, registryWrittenSchema } from "./agentApi.ts";
import { restoreItemSchema, restorePlanSchema } from "./restore.ts";
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

/** `rollcall registry show --json`. */
export const registryShowJsonSchema = z.strictObject({
  version,
  path: z.string(),
  state: z.enum(["read", "absent"]),
  /** As the file writes it; missing where it has none, or where there is no file. */
  fileVersion: z.string().optional(),
  sandboxes: z.array(
    z.strictObject({
      name: z.string(),
      sessions: z.array(
        z.strictObject({
          id: z.string(),
          cwd: z.string().optional(),
          transcript: z.string().optional(),
          name: z.string().optional(),
          pid: z.number().int().optional(),
          startedAt: z.iso.datetime().optional(),
          departedAt: z.iso.datetime().optional(),
        }),
      ),
      /** Items of the file that are no entry. */
      skipped: z.number().int(),
    }),
  ),
});

/** `rollcall registry verify --json`; `ok` is false when any finding is. */
export const registryVerifyJsonSchema = z.strictObject({
  version,
  ok: z.boolean(),
  path: z.string(),
  state: z.enum(["read", "absent", "unreadable"]),
  cause: z.string().optional(),
  findings: z.array(z.strictObject({ ok: z.boolean(), what: z.string(), says: z.string() })),
});

/** `rollcall registry put|replace|forget|depart --json`. */
export const registryWrittenJsonSchema = z.strictObject({
  version,
  path: z.string(),
  ...registryWrittenSchema.shape,
});

/** `rollcall hooks install|uninstall --json`. */
export const hooksChangedJsonSchema = z.strictObject({
  version,
  act: z.enum(["install", "uninstall"]),
  folders: z.array(
    z.strictObject({
      configDir: z.string(),
      outcome: z.enum(["changed", "unchanged", "refused"]),
      says: z.string(),
      diff: z.string().optional(),
      /** Where what stood there before is kept. */
      backup: z.string().optional(),
    }),
  ),
});

/** `rollcall hooks status --json`. */
export const hooksStatusJsonSchema = z.strictObject({
  version,
  folders: z.array(
    z.strictObject({
      configDir: z.string(),
      /** `other`: of another version or data folder; `refused`: the settings cannot be read. */
      state: z.enum(["installed", "partly", "other", "none", "refused"]),
      /** The setting by which the agent runs no hook of ours. */
      switchedOffBy: z.string().optional(),
      missing: z.array(z.string()).optional(),
      cause: z.string().optional(),
      lastEventAt: z.iso.datetime().optional(),
      /** Since when sessions went on without an event, where that is told as silence. */
      silentSince: z.iso.datetime().optional(),
      /** Installed and running ones, as far as they could be told. */
      agentVersions: z.array(z.string()),
      says: z.string(),
    }),
  ),
});

export type HooksChangedJson = z.input<typeof hooksChangedJsonSchema>;
export type HooksStatusJson = z.input<typeof hooksStatusJsonSchema>;

/** `rollcall restore --json`: the plan, with each command as a shell takes it; missing where no line is safe to show. */
export const restoreJsonSchema = restorePlanSchema.extend({
  sessions: z.array(restoreItemSchema.extend({ command: z.string().optional() })),
});

export type RestoreJson = z.input<typeof restoreJsonSchema>;
export type RegistryShowJson = z.input<typeof registryShowJsonSchema>;
export type RegistryVerifyJson = z.input<typeof registryVerifyJsonSchema>;
export type RegistryWrittenJson = z.input<typeof registryWrittenJsonSchema>;
export type WhyJson = z.input<typeof whyJsonSchema>;
export type DoctorJson = z.input<typeof doctorJsonSchema>;
export type AgentStatusJson = z.input<typeof agentStatusJsonSchema>;
