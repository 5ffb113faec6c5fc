import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { compactJson, doubledKey, jsonValue, readJson, type JsonNode } from "../../../base/jsonSource.ts";

function read(text: string): JsonNode {
  const result = readJson(text);
  assert.equal(result.kind, "json", text);
  return (result as { readonly root: JsonNode }).root;
}

/** The value as the tree has it, part by part. */
function rebuilt(text: string, node: JsonNode): unknown {
  switch (node.kind) {
    case "scalar":
      return jsonValue(text, node);
    case "array":
      return node.items.map((item) => rebuilt(text, item));
    case "object":
      return node.members.map(({ key, value }) => [key, rebuilt(text, value)]);
  }
}

function asPairs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asPairs);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).map(([key, each]) => [key, asPairs(each)]);
}

describe("a JSON text with its places", () => {
  it("has the parts that the language's own parser sees, in any layout", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, "\t", " \t "), (value, layout) => {
        const text = ` \r\n${JSON.stringify(value, null, layout)} `;
        assert.deepEqual(rebuilt(text, read(text)), asPairs(JSON.parse(text)));
      }),
      { numRuns: 300 },
    );
  });

  it("takes no text that the language's own parser refuses", () => {
    for (const text of ["", " ", "{", "[1,]", '{"a":1,}', "// c\n{}", "{'a':1}", "{} {}", "01", "NaN", '{"a":1'])
      assert.equal(readJson(text).kind, "not-json", text);
  });

  it("finds strings with quotes and backslashes in them, however long", () => {
    for (const string of ['"', "\\", '\\"', "\\\\", "\u2028", "x".repeat(2_000_000), '"'.repeat(100_000)]) {
      const text = JSON.stringify([string, { [string]: 1 }]);
      assert.deepEqual(rebuilt(text, read(text)), [string, [[string, 1]]]);
    }
  });

  it("keeps numbers as they are written, and takes out only white space", () => {
    const text = '{ "a" : [ 12345678901234567890 , 1.0e+2 ] , "b c" : "d  e" }';
    assert.equal(compactJson(text, read(text)), '{"a":[12345678901234567890,1.0e+2],"b c":"d  e"}');
  });

  it("tells a key that stands twice, also where it is escaped", () => {
    for (const [text, key] of [
      ['{"a":1,"b":2}', undefined],
      ['{"a":1,"a":2}', "a"],
      ['{"a":1,"\\u0061":2}', "a"],
      ['{"__proto__":1,"__proto__":2}', "__proto__"],
      ['{"":1,"":2}', ""],
    ] as const) {
      const root = read(text);
      assert.equal(root.kind === "object" ? doubledKey(root) : "none", key);
    }
  });

  it("refuses what is nested too deep instead of exhausting the stack", () => {
    assert.equal(readJson("[".repeat(99) + "]".repeat(99)).kind, "json");
    assert.deepEqual(readJson("[".repeat(5_000) + "]".repeat(5_000)), {
      kind: "not-json",
      cause: "nested deeper than 100 levels",
    });
  });

  it("leaves a byte order mark where it is", () => {
    const text = "\ufeff[1]";
    assert.equal(read(text).start, 1);
  });
});
