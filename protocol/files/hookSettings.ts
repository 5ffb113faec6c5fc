// Our hooks in the text of the coding agent's settings: what is put in is laid out as its neighbours are, what is taken
// out goes with the containers that it leaves empty, and every other byte stays. A text that is not JSON, or whose hooks
// have not the shape that the agent reads, is refused.
import {
  appendItems,
  appendValues,
  applyEdits,
  removeItems,
  removeMembers,
  replaceByValue,
} from "../../base/jsonEdit.ts";
import type { TextEdit } from "../../base/jsonEdit.ts";
import { doubledKey, jsonValue, readJson } from "../../base/jsonSource.ts";
import type { JsonArray, JsonMember, JsonNode, JsonObject } from "../../base/jsonSource.ts";
import { sameJson } from "../../base/sameJson.ts";
import { hookEventNames, isWaitedFor, type HookEventName } from "../hookEvents.ts";
import { hookMark, hookTimeoutSeconds, spoolOfCommand } from "../hookSpool.ts";
import { toldOf } from "./tolerant.ts";

export type SettingsChange =
  | { readonly kind: "changed"; readonly text: string }
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly because: string };

/** How far our hooks stand in a settings file. */
export type HookSetup =
  | { readonly kind: "installed"; readonly isOff: string | undefined }
  | { readonly kind: "partly"; readonly missing: readonly HookEventName[]; readonly isOff: string | undefined }
  /** Of another version or data folder. */
  | { readonly kind: "other"; readonly isOff: string | undefined }
  | { readonly kind: "none"; readonly isOff: string | undefined }
  | { readonly kind: "refused"; readonly because: string };

/** @param text undefined where there is no file */
export function withHooks(text: string | undefined, command: string): SettingsChange {
  if (text === undefined)
    return { kind: "changed", text: `${JSON.stringify({ hooks: allHooks(command) }, null, 2)}\n` };
  const without = changed(text, (settings) => dropOthers(settings));
  if (without.kind === "refused") return without;
  const from = without.kind === "changed" ? without.text : text;
  const added = changed(from, (settings) => addMissing(from, settings, command));
  return added.kind === "unchanged" ? without : added;
}

export function withoutHooks(text: string): SettingsChange {
  return changed(text, dropAll);
}

export function hookSetup(text: string | undefined, command: string): HookSetup {
  if (text === undefined) return { kind: "none", isOff: undefined };
  const read = readSettings(text);
  if (read.kind === "refused") return read;
  const isOff = switchedOff(text, read.settings.root);
  const ours = read.settings.events.flatMap(({ name, groups }) => oursIn(groups).map(({ node }) => ({ name, node })));
  if (ours.length === 0) return { kind: "none", isOff };
  const isNow = new Set(
    ours.flatMap(({ name, node }) => (isAsNow(text, node, name, command) ? [name as HookEventName] : [])),
  );
  const missing = hookEventNames.filter((name) => !isNow.has(name));
  if (missing.length === 0 && ours.length === hookEventNames.length) return { kind: "installed", isOff };
  return isNow.size > 0 && ours.length === isNow.size ? { kind: "partly", missing, isOff } : { kind: "other", isOff };
}

/** The spools that hooks of ours write to, whichever version installed them; undefined for a text that is refused. */
export function hookSpoolsIn(text: string): readonly string[] | undefined {
  const read = readSettings(text);
  if (read.kind === "refused") return undefined;
  const commands = read.settings.events.flatMap(({ groups }) =>
    oursIn(groups).map(({ node }) => String(toldOf(jsonValue(text, node))?.["command"])),
  );
  return [...new Set(commands.flatMap((command) => spoolOfCommand(command) ?? []))];
}

/** Why the agent runs no hook of ours although they are there. */
export function hooksSwitchedOff(text: string): string | undefined {
  const read = readSettings(text);
  return read.kind === "read" ? switchedOff(text, read.settings.root) : undefined;
}

interface Settings {
  readonly root: JsonObject;
  readonly hooks: JsonMember | undefined;
  readonly events: readonly SettingsEvent[];
}

interface SettingsEvent {
  readonly name: string;
  readonly member: JsonMember;
  readonly list: JsonArray;
  readonly groups: readonly Group[];
}

/** Handlers under one matcher. */
interface Group {
  readonly node: JsonNode;
  readonly handlers: JsonArray | undefined;
  readonly ours: readonly JsonNode[];
}

type SettingsRead =
  { readonly kind: "read"; readonly settings: Settings } | { readonly kind: "refused"; readonly because: string };

function readSettings(text: string): SettingsRead {
  const read = readJson(text);
  if (read.kind === "not-json") return refused(read.cause);
  const { root } = read;
  if (root.kind !== "object") return refused("it is no object");
  const twice = doubledKey(root);
  if (twice !== undefined) return refused(`its ${JSON.stringify(twice)} stands there twice`);
  const hooks = root.members.find(({ key }) => key === "hooks");
  if (hooks === undefined) return { kind: "read", settings: { root, hooks, events: [] } };
  if (hooks.value.kind !== "object") return refused("its hooks are no object");
  const again = doubledKey(hooks.value);
  if (again !== undefined) return refused(`its hooks of ${JSON.stringify(again)} stand there twice`);
  const events: SettingsEvent[] = [];
  for (const member of hooks.value.members) {
    if (member.value.kind !== "array") return refused(`its hooks of ${JSON.stringify(member.key)} are no list`);
    events.push({
      name: member.key,
      member,
      list: member.value,
      groups: member.value.items.map((node) => group(text, node)),
    });
  }
  return { kind: "read", settings: { root, hooks, events } };
}

function refused(because: string): { readonly kind: "refused"; readonly because: string } {
  return { kind: "refused", because };
}

function group(text: string, node: JsonNode): Group {
  const handlers = node.kind === "object" ? node.members.find(({ key }) => key === "hooks")?.value : undefined;
  if (handlers?.kind !== "array") return { node, handlers: undefined, ours: [] };
  return { node, handlers, ours: handlers.items.filter((handler) => isOurs(text, handler)) };
}

function isOurs(text: string, handler: JsonNode): boolean {
  const command = toldOf(jsonValue(text, handler))?.["command"];
  return typeof command === "string" && command.trimStart().startsWith(hookMark);
}

function oursIn(groups: readonly Group[]): readonly { readonly group: Group; readonly node: JsonNode }[] {
  return groups.flatMap((of) => of.ours.map((node) => ({ group: of, node })));
}

function changed(text: string, edit: (settings: Settings) => readonly TextEdit[]): SettingsChange {
  const read = readSettings(text);
  if (read.kind === "refused") return read;
  const next = applyEdits(text, edit(read.settings));
  return next === text ? { kind: "unchanged" } : { kind: "changed", text: next };
}

/** Of events that are not asked for any more, and what stands there again. */
function dropOthers({ events, hooks, root }: Settings): readonly TextEdit[] {
  const asked: ReadonlySet<string> = new Set(hookEventNames);
  const gone = new Set(
    events.flatMap(({ name, groups }) =>
      oursIn(groups)
        .slice(asked.has(name) ? 1 : 0)
        .map(({ node }) => node),
    ),
  );
  return drop({ events, hooks, root }, gone);
}

function dropAll(settings: Settings): readonly TextEdit[] {
  return drop(settings, new Set(settings.events.flatMap(({ groups }) => oursIn(groups).map(({ node }) => node))));
}

/** The highest container that holds nothing else goes as a whole. */
function drop({ root, hooks, events }: Settings, gone: ReadonlySet<JsonNode>): readonly TextEdit[] {
  if (hooks?.value.kind !== "object" || gone.size === 0) return [];
  const isEmptied = ({ ours, handlers }: Group): boolean =>
    handlers !== undefined && ours.length > 0 && handlers.items.every((handler) => gone.has(handler));
  const emptied = events.filter(({ groups }) => groups.length > 0 && groups.every(isEmptied));
  if (emptied.length === events.length) return removeMembers(root, new Set([hooks]));
  const edits = [...removeMembers(hooks.value, new Set(emptied.map(({ member }) => member)))];
  for (const event of events) {
    if (emptied.includes(event)) continue;
    const groups = event.groups.filter(isEmptied);
    edits.push(...removeItems(event.list, new Set(groups.map(({ node }) => node))));
    for (const { handlers } of event.groups.filter((of) => !groups.includes(of)))
      if (handlers !== undefined) edits.push(...removeItems(handlers, gone));
  }
  return edits;
}

function addMissing(text: string, { root, hooks, events }: Settings, command: string): readonly TextEdit[] {
  if (hooks?.value.kind !== "object") return [appendValues(text, root, [{ key: "hooks", value: allHooks(command) }])];
  const edits: TextEdit[] = [];
  const absent: HookEventName[] = [];
  for (const name of hookEventNames) {
    const event = events.find((each) => each.name === name);
    const [ours] = oursIn(event?.groups ?? []);
    if (event === undefined) absent.push(name);
    else if (ours === undefined) edits.push(appendItems(text, event.list, [{ hooks: [handler(name, command)] }]));
    else if (!isAsNow(text, ours.node, name, command))
      edits.push(replaceByValue(text, ours.node, handler(name, command)));
  }
  if (absent.length > 0)
    edits.push(
      appendValues(
        text,
        hooks.value,
        absent.map((name) => ({ key: name, value: [{ hooks: [handler(name, command)] }] })),
      ),
    );
  return edits;
}

function isAsNow(text: string, node: JsonNode, name: string, command: string): boolean {
  const asked: readonly string[] = hookEventNames;
  return asked.includes(name) && sameJson(jsonValue(text, node), handler(name as HookEventName, command));
}

function handler(name: HookEventName, command: string): Readonly<Record<string, unknown>> {
  const own = { type: "command", command, timeout: hookTimeoutSeconds };
  return isWaitedFor(name) ? own : { ...own, async: true };
}

function allHooks(command: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(hookEventNames.map((name) => [name, [{ hooks: [handler(name, command)] }]]));
}

function switchedOff(text: string, root: JsonObject): string | undefined {
  for (const key of ["disableAllHooks", "allowManagedHooksOnly"])
    if (root.members.some((member) => member.key === key && jsonValue(text, member.value) === true)) return key;
  return undefined;
}
