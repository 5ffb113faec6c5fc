import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { changeRegistry, type RegistryChange, type RegistryIntent } from "../../../../agent/core/registryChange.ts";
import { departedAt, parseRegistry, type RegistryDocument } from "../../../../agent/core/registryDocument.ts";
import { toldEntry, type ToldEntry } from "../../../../agent/core/registryEntry.ts";
import { entryToPut } from "../../../../agent/core/registryInput.ts";
import { emptyRegistryText } from "../../../../protocol/files/registry.ts";
import type { RegistryEntry } from "../../../../protocol/files/registryEntrySchema.ts";

const at = Date.parse("2026-11-30T17:00:00Z");

function document(text: string): RegistryDocument {
  const parsed = parseRegistry(text);
  assert.ok(parsed.kind === "parsed", text);
  return parsed.document;
}

function textAfter(text: string, intent: RegistryIntent): string {
  const change = changeRegistry(document(text), intent);
  if (change.kind === "refused") assert.fail(JSON.stringify(change.because));
  return change.kind === "changed" ? change.text : text;
}

const refusalOf = (change: RegistryChange): string => (change.kind === "refused" ? change.because.kind : change.kind);

function told(fields: Readonly<Record<string, unknown>>): ToldEntry {
  return toldEntry(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => ({ key, value: JSON.stringify(value) })),
  );
}

const put = (sandbox: string, fields: Parameters<typeof entryToPut>[0], time = at): RegistryIntent => ({
  kind: "put",
  sandbox,
  entry: entryToPut(fields),
  at: time,
});
const replace = (sandbox: string, entries: readonly object[], mayBeEmpty = false): RegistryIntent => ({
  kind: "replace",
  sandbox,
  entries: entries.map((entry) => told(entry as Record<string, unknown>)),
  mayBeEmpty,
  at,
});
const depart = (id: string, time = at, sandbox?: string): RegistryIntent => ({ kind: "depart", id, sandbox, at: time });
const forget = (id: string, sandbox?: string): RegistryIntent => ({ kind: "forget", id, sandbox });

function registry(sandboxes: Readonly<Record<string, readonly object[]>>): string {
  return `${JSON.stringify({ version: 1, sandboxes }, null, 2)}\n`;
}

function entriesOf(text: string, sandbox: string): readonly RegistryEntry[] {
  return (
    document(text)
      .slices.get(sandbox)
      ?.entries.map(({ fields }) => fields) ?? []
  );
}

function only(text: string, sandbox = "a"): RegistryEntry {
  const [entry, ...others] = entriesOf(text, sandbox);
  assert.ok(entry !== undefined && others.length === 0, text);
  return entry;
}

describe("what a registry's text says", () => {
  for (const [text, cause] of [
    ["[]", /no object/],
    ["null", /no object/],
    ["{}", /no sandboxes/],
    ['{"version":1,"sandboxes":[]}', /no sandboxes/],
    ['{"version":1,"sandboxes":{"b":{}}}', /"b" has no list/],
    ['{"version":1,"sandboxes":{"b":null}}', /"b" has no list/],
    ['{"version":1,"sandboxes":{"b":[],"b":[]}}', /"b" stands twice/],
    ['{"version":1,"sandboxes":{},"sandboxes":{"b":[]}}', /"sandboxes" stands twice/],
    ['{"version":1,"sandboxes":{"b":[', /torn/],
    ["{}{}", /torn or not JSON/],
  ] as const) {
    it(`is nothing, not empty, of ${text}`, () => {
      const parsed = parseRegistry(text);
      assert.ok(parsed.kind === "unreadable");
      assert.match(parsed.cause, cause);
    });
  }

  it("is read of another version, which is never written", () => {
    for (const version of ["2", '"1"', "1e400", "99999999999999999999", "null"])
      assert.equal(document(`{"version":${version},"sandboxes":{}}`).isWritable, false, version);
    assert.equal(document('{"sandboxes":{}}').isWritable, false);
    assert.equal(document('{"version":1,"sandboxes":{}}').isWritable, true);
  });

  it("reads over what is no entry, counted, and keeps the rest", () => {
    const text = registry({
      a: [{ session_id: "s1", cwd: 7 }, 1 as never, { cwd: "/x" }, { session_id: "a b" }, { session_id: "s2" }],
    });
    const read = document(text).slices.get("a");
    assert.ok(read !== undefined);
    assert.deepEqual(
      read.entries.map(({ fields }) => fields.session_id),
      ["s1", "s2"],
    );
    assert.deepEqual(
      [...read.skipped.values()],
      [
        { count: 1, first: [2] },
        { count: 2, first: [3, 4] },
      ],
    );
  });

  it("tells of fields that say nothing to it where they are not blank, and keeps their entry", () => {
    const odd = { session_id: "s1", cwd: 7, departed_at_ms: "1781000000000", pid: null, name: " ", theirs: 1 };
    const read = document(registry({ a: [{ session_id: "s0" }, odd] })).slices.get("a");
    assert.deepEqual([...(read?.unread ?? [])].sort(), [
      ["cwd", { count: 1, first: [2] }],
      ["departed_at_ms", { count: 1, first: [2] }],
    ]);
    assert.equal(read?.entries.length, 2);
  });
});

describe("merging into the registry", () => {
  it("a first entry gives the file as it is known", () => {
    const text = textAfter(emptyRegistryText, replace("a", [{ session_id: "s1", cwd: "/app", started_at_ms: 5 }]));
    assert.equal(text, registry({ a: [{ session_id: "s1", cwd: "/app", started_at_ms: 5 }] }));
  });

  it("a blank observation never overwrites a stored value", () => {
    const stored = registry({
      a: [{ session_id: "s1", cwd: "/app", name: "n", pid: 4, transcript: "/c/projects/-app/s1.jsonl" }],
    });
    for (const blank of [undefined, null, "", "  ", 0]) {
      const slice = [{ session_id: "s1", cwd: blank, name: blank, pid: blank, transcript: blank }];
      const text = textAfter(stored, replace("a", JSON.parse(JSON.stringify(slice)) as object[]));
      assert.equal(text, stored, String(blank));
    }
    assert.equal(
      textAfter(stored, replace("a", [{ session_id: "s1", cwd: "", transcript: "/c/projects/-/s1.jsonl" }])),
      stored,
    );
  });

  it("entries that a new slice lacks have departed and are not removed", () => {
    const stored = registry({ a: [{ session_id: "s1" }, { session_id: "s2" }], b: [{ session_id: "s3" }] });
    const text = textAfter(stored, replace("a", [{ session_id: "s2" }, { session_id: "s4" }]));
    assert.deepEqual(
      entriesOf(text, "a").map((entry) => [entry.session_id, departedAt(entry)]),
      [
        ["s1", at],
        ["s2", undefined],
        ["s4", undefined],
      ],
    );
    assert.equal(departedAt(only(text, "b")), undefined);
  });

  it("an empty slice is refused unless it is asked for by name", () => {
    const stored = registry({ a: [{ session_id: "s1" }] });
    assert.equal(refusalOf(changeRegistry(document(stored), replace("a", []))), "empty-slice");
    assert.equal(departedAt(only(textAfter(stored, replace("a", [], true)))), at);
  });

  it("the first departure stamp wins", () => {
    const once = textAfter(registry({ a: [{ session_id: "s1" }] }), depart("s1", 1_000));
    assert.equal(only(once).departed_at_ms, 1_000);
    assert.equal(textAfter(once, depart("s1", 9_000)), once);
    assert.equal(textAfter(once, replace("a", [{ session_id: "s1", departed_at_ms: 5_000 }])), once);
  });

  it("a new start lifts the departure, and an old one does not", () => {
    const departed = registry({ a: [{ session_id: "s1", departed_at_ms: 1_000 }] });
    const seen = (started: number): RegistryEntry =>
      only(textAfter(departed, replace("a", [{ session_id: "s1", started_at_ms: started }])));
    assert.equal(seen(2_000).departed_at_ms, undefined);
    assert.equal(seen(500).departed_at_ms, 1_000);
    const again = only(textAfter(departed, put("a", { session: "s1" })));
    assert.deepEqual([again.departed_at_ms, again.started_at_ms], [undefined, at]);
  });

  it("an earlier life's departure that comes late changes nothing", () => {
    const stored = registry({ a: [{ session_id: "s1", started_at_ms: 5_000 }] });
    assert.equal(textAfter(stored, replace("a", [{ session_id: "s1", departed_at_ms: 4_000 }])), stored);
  });

  it("one process holds one live entry: the one that began last", () => {
    const stored = registry({ a: [{ session_id: "old", pid: 7, started_at_ms: 1_000 }] });
    const slice = [
      { session_id: "old", pid: 7, started_at_ms: 1_000 },
      { session_id: "new", pid: 7, started_at_ms: 2_000 },
    ];
    for (const entries of [slice, [...slice].reverse()]) {
      const live = entriesOf(textAfter(stored, replace("a", entries)), "a").filter(
        (entry) => departedAt(entry) === undefined,
      );
      assert.deepEqual(
        live.map(({ session_id }) => session_id),
        ["new"],
      );
    }
  });

  it("an explicit name beats the agent's, which beats a derived one; of equals the later", () => {
    const named = (stored: object, seen: object): string | undefined =>
      only(textAfter(registry({ a: [{ session_id: "s1", ...stored }] }), replace("a", [{ session_id: "s1", ...seen }])))
        .name;
    const sources = ["derived", undefined, "agent", "user"];
    for (const [low, by] of sources.entries())
      for (const [high, other] of sources.entries()) {
        const result = named({ name: "old", name_source: by }, { name: "new", name_source: other });
        assert.equal(result, high >= low ? "new" : "old", `${by} then ${other}`);
      }
  });

  it("forgetting removes one entry, with its comma, and nothing else", () => {
    const stored = registry({
      a: [{ session_id: "s1" }, { session_id: "s2" }, { session_id: "s3" }],
      b: [{ session_id: "s4" }],
    });
    for (const id of ["s1", "s2", "s3"])
      assert.equal(
        textAfter(stored, forget(id)),
        registry({
          a: ["s1", "s2", "s3"].filter((each) => each !== id).map((session_id) => ({ session_id })),
          b: [{ session_id: "s4" }],
        }),
      );
    assert.deepEqual(entriesOf(textAfter(stored, forget("s4")), "b"), []);
  });

  it("an id in two sandboxes is ambiguous, one in none is not recorded", () => {
    const stored = registry({ a: [{ session_id: "s1" }], b: [{ session_id: "s1" }] });
    for (const intent of [forget("s1"), depart("s1")])
      assert.equal(refusalOf(changeRegistry(document(stored), intent)), "ambiguous");
    assert.equal(entriesOf(textAfter(stored, forget("s1", "b")), "a").length, 1);
    assert.equal(departedAt(only(textAfter(stored, depart("s1", at, "b")), "a")), undefined);
    assert.equal(refusalOf(changeRegistry(document(stored), forget("s2"))), "not-recorded");
    assert.equal(refusalOf(changeRegistry(document(stored), forget("s1", "c"))), "not-recorded");
  });

  it("what nobody here knows survives byte for byte: fields, numbers, odd keys, layout", () => {
    const oddB = `"__proto__" : [ {"session_id":"s9","big":12345678901234567890, "":{"\\u0061":1}, "ä\\n":[ 1,2 ]} ]`;
    const stored = `{ "later":{"x":1e5},\n\t"version":1,"sandboxes":{${oddB},"":[],\n  "a":[{"session_id":"s1","n":98765432109876543210}]}}`;
    for (const intent of [
      put("a", { session: "s2", cwd: "/x" }),
      put("new", { session: "s2" }),
      depart("s1"),
      forget("s1"),
      replace("a", [{ session_id: "s5" }]),
    ]) {
      const text = textAfter(stored, intent);
      assert.ok(text.includes(oddB), intent.kind);
      assert.ok(text.startsWith('{ "later":{"x":1e5},\n\t"version":1,"sandboxes":{'), intent.kind);
      assert.ok(intent.kind === "forget" || text.includes('"n":98765432109876543210'), intent.kind);
      assert.equal(document(text).slices.get("__proto__")?.entries.length, 1);
    }
  });

  it("a sandbox may be called __proto__", () => {
    const text = textAfter(emptyRegistryText, put("__proto__", { session: "s1" }));
    assert.equal(only(text, "__proto__").session_id, "s1");
  });
});

const id = fc.constantFrom("s1", "s2", "s3", "s4");
const sandbox = fc.constantFrom("a", "b", "__proto__", "ö");
const time = fc.integer({ min: 1, max: 50 }).map((count) => at + count);
const entry = fc.record(
  {
    session_id: id,
    cwd: fc.constantFrom("/x", "/y", "", null),
    name: fc.constantFrom("n", "m", ""),
    name_source: fc.constantFrom("user", "agent", "derived"),
    pid: fc.constantFrom(1, 2, 0),
    started_at_ms: time,
    departed_at_ms: time,
    later: fc.jsonValue(),
  },
  { requiredKeys: ["session_id"] },
);
const slice = fc.uniqueArray(entry, { selector: (each) => each.session_id, maxLength: 4 });
const stored = fc
  .dictionary(sandbox, slice, { maxKeys: 4 })
  .chain((sandboxes) =>
    fc.constantFrom(0, 1, 2, "\t").map((layout) => JSON.stringify({ version: 1, later: [1], sandboxes }, null, layout)),
  );
const intent: fc.Arbitrary<RegistryIntent> = fc.oneof(
  fc.record({ sandbox, id, time }).map((each) => put(each.sandbox, { session: each.id, cwd: "/z" }, each.time)),
  fc.record({ sandbox, slice, empty: fc.boolean() }).map((each) => replace(each.sandbox, each.slice, each.empty)),
  fc.record({ id, time, sandbox }).map((each) => depart(each.id, each.time, each.sandbox)),
  fc.record({ id, sandbox }).map((each) => forget(each.id, each.sandbox)),
);

/** The text of each sandbox's list. */
function sliceTexts(text: string): ReadonlyMap<string, string> {
  return new Map([...document(text).slices].map(([name, { array }]) => [name, text.slice(array.start, array.end)]));
}

describe("any intent on any registry", () => {
  it("leaves every byte of the other sandboxes", () => {
    fc.assert(
      fc.property(stored, intent, (text, each) => {
        const change = changeRegistry(document(text), each);
        if (change.kind !== "changed") return;
        const after = sliceTexts(change.text);
        for (const [name, before] of sliceTexts(text)) if (name !== each.sandbox) assert.equal(after.get(name), before);
      }),
      { numRuns: 500 },
    );
  });

  it("done twice changes nothing more", () => {
    fc.assert(
      fc.property(stored, intent, (text, each) => {
        const change = changeRegistry(document(text), each);
        if (change.kind !== "changed") return;
        const again = changeRegistry(document(change.text), each);
        assert.ok(again.kind === "unchanged" || refusalOf(again) === "not-recorded", JSON.stringify(again));
      }),
      { numRuns: 500 },
    );
  });

  it("removes an entry only to forget it", () => {
    fc.assert(
      fc.property(stored, intent, (text, each) => {
        const change = changeRegistry(document(text), each);
        if (change.kind !== "changed" || each.kind === "forget") return;
        for (const [name, { entries }] of document(text).slices) {
          const after = entriesOf(change.text, name).map(({ session_id }) => session_id);
          for (const { fields } of entries) assert.ok(after.includes(fields.session_id));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("of departures the order does not matter", () => {
    fc.assert(
      fc.property(stored, sandbox, id, fc.array(time, { minLength: 1, maxLength: 4 }), (text, name, of, times) => {
        const stamps = (order: readonly number[]): unknown =>
          order
            .map((each) => replace(name, [{ session_id: of, departed_at_ms: each }]))
            .reduce((after, each) => textAfter(after, each), text);
        const fieldsOf = (after: unknown): unknown =>
          entriesOf(String(after), name).map(({ session_id, departed_at_ms }) => [session_id, departed_at_ms]);
        assert.deepEqual(fieldsOf(stamps(times)), fieldsOf(stamps([...times].reverse())));
      }),
      { numRuns: 200 },
    );
  });
});
