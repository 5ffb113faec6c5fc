// Kept intents against the same acts without a fault: whichever of them failed, and whenever the file could be read
// again, the registry in the end is that of all of them in their order.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { replayIntents, type KeptIntent } from "../../../../agent/core/keptIntents.ts";
import { changeRegistry, type RegistryIntent } from "../../../../agent/core/registryChange.ts";
import { entriesOf } from "../../../../agent/core/registryDifference.ts";
import { parseRegistry, type RegistryDocument } from "../../../../agent/core/registryDocument.ts";
import { toldEntry } from "../../../../agent/core/registryEntry.ts";
import { emptyRegistryText } from "../../../../protocol/files/registry.ts";

interface Step {
  readonly act: "put" | "replace" | "forget" | "depart";
  readonly sandbox: "a" | "b";
  readonly id: "s-1" | "s-2" | "s-3";
  readonly cwd: string | undefined;
  readonly names: boolean;
  readonly fails: boolean;
}

const step = (names: fc.Arbitrary<boolean>): fc.Arbitrary<Step> =>
  fc.record({
    act: fc.constantFrom("put", "put", "replace", "forget", "depart"),
    sandbox: fc.constantFrom("a", "b"),
    id: fc.constantFrom("s-1", "s-2", "s-3"),
    cwd: fc.constantFrom(undefined, "/one", "/two"),
    names,
    fails: fc.boolean(),
  });

function read(text: string): RegistryDocument {
  const parsed = parseRegistry(text);
  assert.ok(parsed.kind === "parsed");
  return parsed.document;
}

function intentOf({ act, sandbox, id, cwd, names }: Step, at: number): RegistryIntent {
  const members = [
    { key: "session_id", value: JSON.stringify(id) },
    ...(cwd === undefined ? [] : [{ key: "cwd", value: JSON.stringify(cwd) }]),
  ];
  switch (act) {
    case "put":
      return { kind: "put", sandbox, entry: toldEntry(members), at };
    case "replace":
      return { kind: "replace", sandbox, entries: [toldEntry(members)], mayBeEmpty: false, at };
    case "forget":
      return { kind: "forget", id, sandbox: names ? sandbox : undefined };
    case "depart":
      return { kind: "depart", id, sandbox: names ? sandbox : undefined, at };
  }
}

function carriedOut(text: string, intent: RegistryIntent): string {
  const change = changeRegistry(read(text), intent);
  return change.kind === "changed" ? change.text : text;
}

interface Played {
  readonly text: string;
  readonly superseded: ReadonlySet<number>;
}

/** As the store does it: what waits goes first. */
function play(steps: readonly Step[]): Played {
  let text = emptyRegistryText;
  let kept: KeptIntent[] = [];
  const superseded = new Set<number>();
  const replay = (): void => {
    const { text: next, others } = replayIntents(read(text), kept, () => undefined);
    text = next ?? text;
    for (const { n, how } of others) if (how === "superseded") superseded.add(n);
    kept = [];
  };
  for (const [index, each] of steps.entries()) {
    const intent = intentOf(each, timeOf(index));
    if (each.fails) {
      kept.push({ n: index, at: timeOf(index), cause: "torn", intent });
      continue;
    }
    replay();
    text = carriedOut(text, intent);
  }
  replay();
  return { text, superseded };
}

function inOrder(steps: readonly Step[], without: ReadonlySet<number>): string {
  return steps.reduce(
    (text, each, index) => (without.has(index) ? text : carriedOut(text, intentOf(each, timeOf(index)))),
    emptyRegistryText,
  );
}

const timeOf = (index: number): number => 1_781_000_000_000 + index * 10;

const entries = (text: string): readonly unknown[] =>
  [...entriesOf(read(text))].map(([key, { entry }]) => [key, entry.fields]).sort();
describe("kept intents", () => {
  it("end in the registry of all acts in their order, where each names its sandbox", () => {
    fc.assert(
      fc.property(fc.array(step(fc.constant(true)), { maxLength: 12 }), (steps) => {
        assert.deepEqual(entries(play(steps).text), entries(inOrder(steps, new Set())));
      }),
      { numRuns: 400 },
    );
  });

  it("end in that of those that nothing newer took the place of, where some name none", () => {
    fc.assert(
      fc.property(fc.array(step(fc.boolean()), { maxLength: 12 }), (steps) => {
        const { text, superseded } = play(steps);
        assert.deepEqual(entries(text), entries(inOrder(steps, superseded)));
      }),
      { numRuns: 400 },
    );
  });
});
