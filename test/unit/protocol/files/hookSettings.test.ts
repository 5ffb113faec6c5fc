import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { hookSetup, hookSpoolsIn, withHooks, withoutHooks } from "../../../../protocol/files/hookSettings.ts";
import { hookEventNames } from "../../../../protocol/hookEvents.ts";
import { hookCommand } from "../../../../protocol/hookSpool.ts";

const command = hookCommand("/data/spool/host");
const older = command.replace("rollcall-hook 1", "rollcall-hook 0");

function changed(change: ReturnType<typeof withHooks>): string {
  if (change.kind !== "changed") assert.fail(change.kind);
  return change.text;
}

const users = `{
  // no comment, since JSON has none
}`;
const texts: readonly (readonly [string, string])[] = [
  ["an empty object", "{}"],
  ["one with a newline", "{}\n"],
  ["settings on one line", '{"model":"opus","big":12345678901234567890}'],
  ["settings by tabs", '{\n\t"model": "opus",\n\t"permissions": {\n\t\t"allow": []\n\t}\n}\n'],
  ["settings with CRLF", '{\r\n  "model": "opus"\r\n}\r\n'],
  [
    "hooks of the user's own",
    '{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [{ "type": "command", "command": "say done" }]\n      }\n    ]\n  },\n  "z": 1\n}\n',
  ],
  [
    "hooks of an event that is not asked for",
    '{"hooks":{"WorktreeCreate":[{"hooks":[{"type":"command","command":"x"}]}]}}',
  ],
  ["a byte order mark", '\ufeff{\n  "a": 1\n}\n'],
];

describe("our hooks in settings", () => {
  for (const [name, text] of texts) {
    it(`are put into ${name}, are there, and leave it byte for byte`, () => {
      const after = changed(withHooks(text, command));
      assert.equal(hookSetup(after, command).kind, "installed");
      assert.deepEqual(withHooks(after, command), { kind: "unchanged" });
      const own = JSON.parse(text.replace("\ufeff", "")) as Record<string, unknown>;
      const both = JSON.parse(after.replace("\ufeff", "")) as Record<string, unknown>;
      for (const key of Object.keys(own)) if (key !== "hooks") assert.deepEqual(both[key], own[key]);
      assert.deepEqual(Object.keys(both).slice(0, Object.keys(own).length), Object.keys(own));
      assert.equal(changed(withoutHooks(after)), text);
    });
  }

  it("are all there, those that are waited for and those that are not, with a deadline", () => {
    const { hooks } = JSON.parse(changed(withHooks(undefined, command))) as {
      hooks: Record<string, [{ hooks: [Record<string, unknown>] }]>;
    };
    assert.deepEqual(Object.keys(hooks), [...hookEventNames]);
    for (const [name, [group]] of Object.entries(hooks)) {
      const waits = name === "SessionStart" || name === "SessionEnd";
      assert.deepEqual(
        group.hooks,
        [{ type: "command", command, timeout: 5, ...(waits ? {} : { async: true }) }],
        name,
      );
    }
  });

  it("of an older version are put right in their place, once each", () => {
    const old = changed(withHooks('{"a":1}', older));
    assert.equal(hookSetup(old, command).kind, "other");
    const after = changed(withHooks(old, command));
    assert.equal(after, changed(withHooks('{"a":1}', command)));
    const twice = old.replace('"Stop":[', `"Stop":[{"hooks":[{"type":"command","command":${JSON.stringify(older)}}]},`);
    assert.equal(changed(withHooks(twice, command)), after);
  });

  it("of an event that is asked for no more are taken out", () => {
    const text = JSON.stringify({ hooks: { PostToolBatch: [{ hooks: [{ type: "command", command: older }] }] } });
    const after = JSON.parse(changed(withHooks(text, command))) as { hooks: object };
    assert.deepEqual(Object.keys(after.hooks), [...hookEventNames]);
  });

  it("that stand among the user's own handlers go alone", () => {
    const mine = { type: "command", command: "mine" };
    const text = JSON.stringify({ hooks: { Stop: [{ matcher: "x", hooks: [mine, { type: "command", command }] }] } });
    assert.equal(changed(withoutHooks(text)), JSON.stringify({ hooks: { Stop: [{ matcher: "x", hooks: [mine] }] } }));
  });

  it("are there in part where one is missing, and told off where the settings switch them off", () => {
    const after = JSON.parse(changed(withHooks(undefined, command))) as {
      hooks: Record<string, unknown>;
      disableAllHooks?: boolean;
    };
    delete after.hooks["Stop"];
    assert.deepEqual(hookSetup(JSON.stringify(after), command), {
      kind: "partly",
      missing: ["Stop"],
      isOff: undefined,
    });
    after.disableAllHooks = true;
    assert.deepEqual(hookSetup(JSON.stringify(after), command), {
      kind: "partly",
      missing: ["Stop"],
      isOff: "disableAllHooks",
    });
    assert.deepEqual(hookSetup('{"allowManagedHooksOnly":true}', command), {
      kind: "none",
      isOff: "allowManagedHooksOnly",
    });
  });

  it("are in no text that is not settings: it is refused, untouched", () => {
    const refused = [
      users,
      "",
      "[]",
      "7",
      '{"hooks":[]}',
      '{"hooks":{"Stop":{}}}',
      '{"a":1,"a":2}',
      '{"hooks":{"Stop":[],"Stop":[]}}',
      '{"a":1,}',
    ];
    for (const text of refused) {
      assert.equal(withHooks(text, command).kind, "refused", text);
      assert.equal(withoutHooks(text).kind, "refused", text);
      assert.equal(hookSetup(text, command).kind, "refused", text);
    }
  });

  it("name the spools that they write to", () => {
    assert.deepEqual(hookSpoolsIn(changed(withHooks("{}", command))), ["/data/spool/host"]);
    assert.deepEqual(hookSpoolsIn('{"a":1}'), []);
    assert.equal(hookSpoolsIn("{"), undefined);
  });

  it("go into any settings and out again without a trace", () => {
    const handler = fc.record({ type: fc.constant("command"), command: fc.string() });
    const groups = fc.array(fc.record({ hooks: fc.array(handler, { minLength: 1, maxLength: 3 }) }), {
      minLength: 1,
      maxLength: 3,
    });
    const settings = fc.record(
      {
        model: fc.json(),
        hooks: fc.dictionary(fc.constantFrom("Stop", "PreToolUse", "SessionStart", "Setup"), groups, { minKeys: 1 }),
        env: fc.dictionary(fc.string(), fc.string()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(settings, fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const after = changed(withHooks(text, command));
        assert.equal(changed(withoutHooks(after)), text);
      }),
      { numRuns: 200 },
    );
  });
});
