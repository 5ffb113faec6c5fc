// The place at which a text stops being JSON.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { jsonFault } from "../../../base/jsonFault.ts";

describe("where a text stops being JSON", () => {
  const faults: readonly (readonly [string, string, string])[] = [
    ["nothing", "", "1:1 end"],
    ["only space", " \n ", "2:2 end"],
    ["a comment", '// hi\n{"a":1}', "1:1"],
    ["a comment inside", '{\n  "a": 1, // one\n  "b": 2\n}', "2:11"],
    ["a comma too many", '{\n  "a": [1, 2,]\n}', "2:14"],
    ["a comma too many in an object", '{"a":1,}', "1:8"],
    ["a comma that is missing", '{"a":1\n"b":2}', "2:1"],
    ["no number", '{"a":NaN}', "1:6"],
    ["a number with a leading zero", '{"a":012}', "1:7"],
    ["a key without quotes", "{a:1}", "1:2"],
    ["single quotes", "{'a':1}", "1:2"],
    ["a control character in a string", '{"a":"x\ny"}', "1:8"],
    ["an escape that is none", '["\\x"]', "1:3"],
    ["something behind the end", '{"a":1}\n{"b":2}', "2:1"],
    ["cut in a container", '{"a":[1,\n2', "2:2 end"],
    ["cut behind a key", '{"a"', "1:5 end"],
    ["cut in a string", '{"a":"begun', "1:12 end"],
    ["cut in a key", '{"a":1,"beg', "1:12 end"],
    ["nested without end", "[".repeat(200_000), "1:200001 end"],
    ["cut in a very long string", `["${"x".repeat(30_000_000)}`, "1:30000003 end"],
    ["behind a byte order mark", '\ufeff{"a":}', "1:7"],
  ];
  for (const [name, text, expected] of faults) {
    it(name, () => {
      assert.throws(() => void JSON.parse(text));
      const { line, column, isAtEnd } = jsonFault(text);
      assert.equal(`${line}:${column}${isAtEnd ? " end" : ""}`, expected);
    });
  }
});
