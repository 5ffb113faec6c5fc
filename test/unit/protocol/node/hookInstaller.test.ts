import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { limits } from "../../../../base/limits.ts";
import { carryOutHooks, planHooks, readHookSetup, type HookTarget } from "../../../../protocol/node/hookInstaller.ts";

let root: string;
let target: HookTarget;
let settings: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "rollcall-install-"));
  const configDir = join(root, ".claude");
  mkdirSync(configDir);
  target = { configDir, dataDir: join(root, "data"), spoolFolder: join(root, "data", "spool", "host") };
  settings = join(configDir, "settings.json");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const install = async (): Promise<string | undefined> => carryOutHooks(await planHooks("install", target), Date.now());
const uninstall = async (): Promise<string | undefined> =>
  carryOutHooks(await planHooks("uninstall", target), Date.now());
const traces = (): readonly string[] => readdirSync(target.configDir);

describe("installing hooks", () => {
  it("H05 changes nothing by itself: a plan only tells the difference", async () => {
    writeFileSync(settings, '{\n  "model": "opus"\n}\n');
    const { diff } = await planHooks("install", target);
    assert.match(diff, /^--- .*settings\.json\n\+\+\+ .*settings\.json\n@@ -1,3 \+1,/);
    assert.match(diff, /\n- {2}"model": "opus"\n\+ {2}"model": "opus",\n\+ {2}"hooks": \{\n/);
    assert.equal(readFileSync(settings, "utf8"), '{\n  "model": "opus"\n}\n');
    assert.equal(existsSync(target.dataDir), false);
  });

  it("keeps the mode of the file, keeps what stood there, and makes the spool", async () => {
    writeFileSync(settings, '{ "model": "opus" }');
    chmodSync(settings, 0o640);
    const backup = await install();
    assert.equal(readFileSync(backup ?? "", "utf8"), '{ "model": "opus" }');
    assert.equal(statSync(settings).mode & 0o777, 0o640);
    assert.equal(statSync(target.spoolFolder).mode & 0o777, 0o700);
    assert.deepEqual(traces(), ["settings.json"]);
    assert.deepEqual(await readHookSetup(target), { kind: "installed", isOff: undefined });
  });

  it("twice changes nothing", async () => {
    await install();
    const once = readFileSync(settings, "utf8");
    const { diff } = await planHooks("install", target);
    assert.equal(diff, "");
    assert.equal(await install(), undefined);
    assert.equal(readFileSync(settings, "utf8"), once);
  });

  it("leaves no trace once it is undone, whatever stood there before", async () => {
    for (const before of [undefined, "{ }", "{\n\n}\n", '{ "hooks": { "Stop": [] } }', '{"hooks":{}}']) {
      if (before === undefined) rmSync(settings, { force: true });
      else writeFileSync(settings, before);
      await install();
      await uninstall();
      assert.equal(existsSync(settings) ? readFileSync(settings, "utf8") : undefined, before);
      assert.deepEqual(traces(), before === undefined ? [] : ["settings.json"]);
    }
  });

  it("is undone where the user changed the file since: what is his stays", async () => {
    await install();
    const changed = readFileSync(settings, "utf8").replace("{\n", '{\n  "model": "opus",\n');
    writeFileSync(settings, changed);
    await uninstall();
    assert.deepEqual(JSON.parse(readFileSync(settings, "utf8")), { model: "opus" });
  });

  it("over an older one of ours is undone to what stood before the first", async () => {
    writeFileSync(settings, "{ }");
    await carryOutHooks(
      await planHooks("install", { ...target, spoolFolder: join(root, "data", "spool", "old") }),
      Date.now(),
    );
    assert.equal((await readHookSetup(target)).kind, "other");
    await install();
    await uninstall();
    assert.equal(readFileSync(settings, "utf8"), "{ }");
  });

  it("refuses what it cannot change safely, and leaves it as it is", async () => {
    const refused = async (): Promise<void> => {
      for (const act of ["install", "uninstall"] as const)
        await assert.rejects(planHooks(act, target), { kind: "settings-refused", message: /stays as it is; mend it/ });
    };
    writeFileSync(settings, '{ "a": 1, // mine\n}');
    await refused();
    assert.equal(readFileSync(settings, "utf8"), '{ "a": 1, // mine\n}');
    rmSync(settings);
    mkdirSync(settings);
    await refused();
    rmSync(settings, { recursive: true });
    const elsewhere = join(root, "elsewhere.json");
    writeFileSync(elsewhere, "{}");
    symlinkSync(elsewhere, settings);
    await refused();
    assert.equal(readFileSync(elsewhere, "utf8"), "{}");
    rmSync(settings);
    writeFileSync(settings, "{}");
    truncateSync(settings, limits.settingsBytes + 1);
    await refused();
    writeFileSync(settings, Buffer.from([0x7b, 0xff, 0x7d]));
    await refused();
  });

  it("writes nothing where another program changed the file after the plan was made", async () => {
    writeFileSync(settings, "{}");
    const plan = await planHooks("install", target);
    writeFileSync(settings, '{"model":"new"}');
    await assert.rejects(carryOutHooks(plan, Date.now()), { kind: "settings-changed" });
    assert.equal(readFileSync(settings, "utf8"), '{"model":"new"}');
    assert.deepEqual(traces(), ["settings.json"]);
    rmSync(settings);
    const fresh = await planHooks("install", target);
    writeFileSync(settings, "{}");
    await assert.rejects(carryOutHooks(fresh, Date.now()), { kind: "settings-changed" });
    assert.equal(readFileSync(settings, "utf8"), "{}");
  });

  it("keeps few backups", async () => {
    for (let index = 0; index < 9; index += 1) {
      writeFileSync(settings, `{"n":${index}}`);
      await carryOutHooks(await planHooks("install", target), 1_000 + index);
    }
    const kept = readdirSync(join(target.dataDir, "hooks")).filter((name) => name.endsWith(".settings.json"));
    assert.equal(kept.length, 5);
    assert.ok(kept.some((name) => readFileSync(join(target.dataDir, "hooks", name), "utf8") === '{"n":8}'));
  });
});
