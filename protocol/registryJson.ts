// What `rollcall registry` prints of its journal with `--json`: for scripts, so fields may be added, none renamed.
import { z } from "zod";
import { registryRestoredSchema } from "./agentApi.ts";

const version = z.literal(1);

const entryNameSchema = z.strictObject({ sandbox: z.string(), id: z.string() });
/** How many, and the first of them by name. */
const namedFewSchema = z.strictObject({ count: z.number().int(), first: z.array(entryNameSchema) });

/** `rollcall registry history --json`, newest first. */
export const registryHistoryJsonSchema = z.strictObject({
  version,
  path: z.string(),
  generations: z.array(
    z.strictObject({
      generation: z.number().int(),
      /** When it was first seen. */
      at: z.iso.datetime(),
      /** `found` is what stood there before anything was journaled. */
      by: z.enum(["rollcall", "another", "found"]),
      /** What Rollcall wrote it for. */
      act: z.string().optional(),
      bytes: z.number().int(),
      sha256: z.string(),
      sessions: z.number().int(),
      added: namedFewSchema,
      changed: namedFewSchema,
      /** What the one before had and this one lacks; of another writer's, it was dropped. */
      gone: namedFewSchema,
      /** Where its bytes are kept. */
      file: z.string(),
    }),
  ),
  /** What another writer left out and is not there again. */
  dropped: z.array(
    z.strictObject({
      sandbox: z.string(),
      id: z.string(),
      droppedAt: z.iso.datetime(),
      generation: z.number().int(),
    }),
  ),
  /** Lines of the journal that were damaged and passed over. */
  damagedLines: z.number().int(),
});

/** `rollcall registry diff --json`; values are JSON text, as they stand in the file. */
export const registryDiffJsonSchema = z.strictObject({
  version,
  path: z.string(),
  /** `now` is what stands in the file. */
  from: z.union([z.number().int(), z.literal("now")]),
  to: z.union([z.number().int(), z.literal("now")]),
  added: z.array(entryNameSchema),
  changed: z.array(
    z.strictObject({
      ...entryNameSchema.shape,
      fields: z.array(
        z.strictObject({ field: z.string(), before: z.string().optional(), after: z.string().optional() }),
      ),
    }),
  ),
  gone: z.array(entryNameSchema),
});

/** `rollcall registry restore --json`; without --yes what it would do. */
export const registryRestoreJsonSchema = z.strictObject({
  version,
  path: z.string(),
  /** False where it is only shown. */
  done: z.boolean(),
  /** `whole`: the file cannot be read, and a whole content takes its place. */
  how: z.enum(["merge", "whole"]),
  cause: z.string().optional(),
  ...registryRestoredSchema.shape,
});

const intentSchema = z.strictObject({ intent: z.number().int(), at: z.iso.datetime(), act: z.string() });

/** `rollcall registry intents --json`. */
export const registryIntentsJsonSchema = z.strictObject({
  version,
  path: z.string(),
  /** In the order in which they will be carried out. */
  waiting: z.array(z.strictObject({ ...intentSchema.shape, cause: z.string() })),
  /** The last of those that wait no more. */
  settled: z.array(
    z.strictObject({
      ...intentSchema.shape,
      how: z.enum(["applied", "unneeded", "superseded", "refused", "cancelled"]),
      settledAt: z.iso.datetime(),
      says: z.string(),
    }),
  ),
});

/** `rollcall registry cancel-intent --json`. */
export const registryCancelJsonSchema = z.strictObject({
  version,
  path: z.string(),
  intent: z.number().int(),
  act: z.string(),
});

export type RegistryHistoryJson = z.input<typeof registryHistoryJsonSchema>;
export type RegistryDiffJson = z.input<typeof registryDiffJsonSchema>;
export type RegistryRestoreJson = z.input<typeof registryRestoreJsonSchema>;
export type RegistryIntentsJson = z.input<typeof registryIntentsJsonSchema>;
export type RegistryCancelJson = z.input<typeof registryCancelJsonSchema>;
