// Puts our hooks into the settings file of one config folder, or takes them out: first a plan that says what would change,
// then the change itself, and only of the file that the plan was made of. What stood there before is kept in the data
// folder, so that an uninstall gives it back byte for byte where nobody else changed the file since. Who asks the user,
// and whether the agent is new enough, is the caller's.
import { createHash, randomUUID } from "node:crypto";
import { lstatSync, renameSync, type Stats } from "node:fs";
import { lstat, mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describeError, errorCode, rollcallError, type RollcallError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { writeFileDurably } from "../../base/node/atomicFile.ts";
import { readBounded } from "../../base/node/readBounded.ts";
import { syncFolder } from "../../base/node/syncFolder.ts";
import { unifiedDiff } from "../../base/unifiedDiff.ts";
import { hookSetup, withHooks, withoutHooks, type HookSetup, type SettingsChange } from "../files/hookSettings.ts";
import { toldOf } from "../files/tolerant.ts";
import { hookCommand } from "../hookSpool.ts";

export type HookInstallErrorKind = "settings-refused" | "settings-changed" | "settings-not-written";
export type HookInstallError = RollcallError<HookInstallErrorKind>;

export type HookAct = "install" | "uninstall";

export interface HookTarget {
  readonly configDir: string;
  /** The spool's folder, and where what stood before is kept. */
  readonly spoolFolder: string;
  readonly dataDir: string;
}

export interface HookPlan extends HookTarget {
  readonly act: HookAct;
  readonly path: string;
  /** Undefined where there is no file. */
  readonly before: SettingsFile | undefined;
  /** Undefined where the file is to go again. */
  readonly after: string | undefined;
  /** Empty where there is nothing to do. */
  readonly diff: string;
}

interface SettingsFile {
  readonly text: string;
  readonly identity: string;
  readonly mode: number;
}

const keptMost = 5;

/** @throws HookInstallError where the file is one that is not touched */
export async function planHooks(act: HookAct, target: HookTarget): Promise<HookPlan> {
  const path = settingsPath(target.configDir);
  const before = await readSettingsFile(path);
  const plan = (after: string | undefined): HookPlan => ({
    ...target,
    act,
    path,
    before,
    after,
    diff: after === before?.text ? "" : unifiedDiff(before?.text ?? "", after ?? "", { from: path, to: path }),
  });
  if (act === "install") return plan(textAfter(path, withHooks(before?.text, commandOf(target)), before?.text));
  if (before === undefined) return plan(undefined);
  const kept = await readKept(target);
  if (kept?.afterDigest === digest(before.text)) return plan(kept.before);
  const after = textAfter(path, withoutHooks(before.text), before.text);
  const isOnlyOurs =
    kept !== undefined && kept.before === undefined && after !== undefined && /^\s*\{\s*\}\s*$/.test(after);
  return plan(isOnlyOurs ? undefined : after);
}

/** @returns where what stood there before is kept; undefined where nothing did; @throws HookInstallError, the file then unchanged */
export async function carryOutHooks(plan: HookPlan, now: number): Promise<string | undefined> {
  const { act, path, before, after, spoolFolder } = plan;
  try {
    if (act === "install") await mkdir(spoolFolder, { recursive: true, mode: 0o700 });
    if (plan.diff === "") return undefined;
    const backup = before === undefined ? undefined : await keepBackup(plan, before.text, now);
    if (after === undefined) await removeSettings(plan);
    else await replaceSettings(plan, after);
    if (act === "install") await writeKept(plan, { after: after ?? "", backup });
    else await rm(keptFile(plan), { force: true });
    return backup;
  } catch (error) {
    if (isInstallError(error)) throw error;
    throw rollcallError<HookInstallErrorKind>(
      "settings-not-written",
      `${path} could not be written (${describeError(error)}); it stays as it is; make it writable and try again`,
      error,
    );
  }
}

/** How far our hooks stand in a config folder's settings. */
export async function readHookSetup(target: Pick<HookTarget, "configDir" | "spoolFolder">): Promise<HookSetup> {
  try {
    const file = await readSettingsFile(settingsPath(target.configDir));
    return hookSetup(file?.text, commandOf(target));
  } catch (error) {
    return { kind: "refused", because: describeError(error) };
  }
}

/** When a folder's settings were last changed; undefined where there are none. */
export async function settingsChangedAt(configDir: string): Promise<number | undefined> {
  return lstat(settingsPath(configDir)).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

export function settingsPath(configDir: string): string {
  return join(configDir, "settings.json");
}

function commandOf({ spoolFolder }: Pick<HookTarget, "spoolFolder">): string {
  return hookCommand(resolve(spoolFolder));
}

function textAfter(path: string, change: SettingsChange, before: string | undefined): string | undefined {
  switch (change.kind) {
    case "refused":
      throw refused(path, change.because);
    case "unchanged":
      return before;
    case "changed":
      return change.text;
  }
}

async function readSettingsFile(path: string): Promise<SettingsFile | undefined> {
  let stats: Stats;
  try {
    stats = await lstat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw refused(path, describeError(error));
  }
  if (stats.isSymbolicLink()) throw refused(path, "a symbolic link");
  if (!stats.isFile()) throw refused(path, "no regular file");
  const read = await readBounded(path, limits.settingsBytes, limits.fileReadDeadlineMs);
  if (read.kind === "absent") return undefined;
  if (read.kind === "unreadable") throw refused(path, read.cause);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(read.bytes);
  } catch {
    throw refused(path, "not UTF-8");
  }
  return { text, identity: read.identity, mode: stats.mode & 0o777 };
}

function refused(path: string, because: string): HookInstallError {
  return rollcallError(
    "settings-refused",
    `${path} is not one that can be changed safely (${because}), so it stays as it is; mend it by hand and try again`,
  );
}

function isInstallError(error: unknown): error is HookInstallError {
  return (
    error instanceof Error && "kind" in error && typeof error.kind === "string" && error.kind.startsWith("settings-")
  );
}

/** A file of its own name beside it, synced, and put in its place only while that is the one that the plan was made of. */
async function replaceSettings({ path, before }: HookPlan, after: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    const handle = await open(draft, "wx", before?.mode ?? 0o600);
    try {
      await handle.writeFile(after, "utf8");
      await handle.chmod(before?.mode ?? 0o600);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // The look and the rename are one step of this process, so that what another one wrote meanwhile stays.
    if (identityNow(path) !== before?.identity) throw changedMeanwhile(path);
    renameSync(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(join(path, ".."));
  if ((await readFile(path, "utf8")) !== after) throw changedMeanwhile(path);
}

async function removeSettings({ path, before }: HookPlan): Promise<void> {
  if (identityNow(path) !== before?.identity) throw changedMeanwhile(path);
  await rm(path);
  await syncFolder(join(path, ".."));
}

function identityNow(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
}

function changedMeanwhile(path: string): HookInstallError {
  return rollcallError("settings-changed", `${path} was changed by another program meanwhile; try again`);
}

interface Kept {
  readonly before: string | undefined;
  readonly afterDigest: string;
}

function keptFolder({ dataDir }: HookTarget): string {
  return join(dataDir, "hooks");
}

function keptFile(target: HookTarget): string {
  return join(keptFolder(target), `${nameOf(target)}.json`);
}

function nameOf({ configDir }: HookTarget): string {
  return digest(resolve(configDir)).slice(0, 24);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function keepBackup(target: HookTarget, text: string, now: number): Promise<string> {
  const folder = keptFolder(target);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const prefix = `${nameOf(target)}.`;
  const backup = join(folder, `${prefix}${now}.settings.json`);
  await writeFileDurably(backup, text);
  const all = (await readdir(folder)).filter((name) => name.startsWith(prefix) && name.endsWith(".settings.json"));
  for (const name of all.sort().slice(0, -keptMost)) await rm(join(folder, name), { force: true });
  return backup;
}

/** An install over an older one of ours keeps what stood before the first. */
async function writeKept(
  plan: HookPlan,
  { after, backup }: { readonly after: string; readonly backup: string | undefined },
): Promise<void> {
  const earlier = await readKept(plan);
  const isUpgrade =
    earlier !== undefined && plan.before !== undefined && earlier.afterDigest === digest(plan.before.text);
  const before = isUpgrade ? earlier.before : plan.before?.text;
  await mkdir(keptFolder(plan), { recursive: true, mode: 0o700 });
  const kept = { path: plan.path, backup, before, afterDigest: digest(after) };
  await writeFileDurably(keptFile(plan), `${JSON.stringify(kept)}\n`);
}

/** Undefined where nothing is kept that can be gone by: then only what is ours is taken out. */
async function readKept(target: HookTarget): Promise<Kept | undefined> {
  const read = await readBounded(keptFile(target), limits.settingsBytes * 4, limits.fileReadDeadlineMs);
  if (read.kind !== "read") return undefined;
  try {
    const told = toldOf(JSON.parse(read.bytes.toString("utf8")));
    const afterDigest = told?.["afterDigest"];
    const before = told?.["before"];
    if (typeof afterDigest !== "string" || (before !== undefined && typeof before !== "string")) return undefined;
    return { before, afterDigest };
  } catch {
    return undefined;
  }
}
