// What is read by hand is what the schema says.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { pidRecordSchema } from "../../../../protocol/files/pidRecord.ts";
import { readPidRecord } from "../../../../protocol/files/readPidRecord.ts";
import { readRegistryEntry } from "../../../../protocol/files/readRegistryEntry.ts";
import { readSubagentMeta } from "../../../../protocol/files/readSubagentMeta.ts";
import { registryEntrySchema } from "../../../../protocol/files/registryEntrySchema.ts";
import { subagentMetaSchema } from "../../../../protocol/files/subagentMeta.ts";

const value = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, true, false, "", " ", " 12 ", [], {}, 0, -0, -1, 1.5, 7, "user", "agent"),
  fc.constantFrom<unknown>(...[99, 100, 101, 128, 129, 200, 201, 4096, 4097].map((length) => "x".repeat(length))),
  fc.constantFrom<unknown>(1_577_836_799_999, 1_577_836_800_000, 1_796_000_000),
  fc.constantFrom<unknown>(253_402_300_799_999, 253_402_300_800_000, 2 ** 53 - 1, 2 ** 53, 1e300),
  fc.constantFrom<unknown>(Infinity, -Infinity, Number.NaN, `${" ".repeat(60)}1${" ".repeat(60)}`, "derived", "a/b"),
  fc.string(),
  fc.double(),
  fc.integer(),
);
/** Mostly what makes it one. */
const mostly = (usual: unknown): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: value });

const kinds = [
  { what: "a session record", schema: pidRecordSchema, read: readPidRecord, needs: { pid: 7, sessionId: "a" } },
  {
    what: "an entry of the registry",
    schema: registryEntrySchema,
    read: readRegistryEntry,
    needs: { session_id: "a" },
  },
  { what: "a subagent's note", schema: subagentMetaSchema, read: readSubagentMeta, needs: {} },
] as const;

describe("a file of another program, read by hand", () => {
  for (const { what, schema, read, needs } of kinds)
    it(`says as ${what} what its schema says`, () => {
      const required = Object.fromEntries(Object.entries(needs).map(([key, usual]) => [key, mostly(usual)]));
      const others = Object.keys(schema.shape).filter((key) => !Object.hasOwn(needs, key));
      const record = fc
        .tuple(fc.dictionary(fc.constantFrom(...others, "unheardOf"), value), fc.record(required))
        .map(([rest, needed]): unknown => ({ ...rest, ...needed }));
      fc.assert(
        fc.property(fc.oneof({ weight: 20, arbitrary: record }, { weight: 1, arbitrary: value }), (told) => {
          const said = schema.safeParse(told).data;
          assert.deepEqual(fieldsOf(read(told)), fieldsOf(said));
        }),
        { numRuns: 4_000 },
      );
    });
});

/** A field that is undefined is one not told. */
function fieldsOf(read: object | undefined): unknown {
  return read === undefined
    ? "none"
    : Object.fromEntries(Object.entries(read).filter(([, each]) => each !== undefined));
}
