// Changes of a JSON text in single places: an item for another one, items or members at the end of their container,
// items taken out. What is put in is laid out as its neighbours are; every other byte stays.
import type { JsonArray, JsonMember, JsonNode, JsonObject } from "./jsonSource.ts";

export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A member as it is to be written, both parts JSON. */
export interface RawMember {
  readonly key: string;
  readonly value: string;
}

export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const ordered = [...edits].sort((a, b) => a.start - b.start);
  let result = "";
  let done = 0;
  for (const edit of ordered) {
    if (edit.start < done) throw new Error("two edits of a text overlap");
    result += text.slice(done, edit.start) + edit.text;
    done = edit.end;
  }
  return result + text.slice(done);
}

/** An object in the place of another value. */
export function replaceByObject(text: string, node: JsonNode, members: readonly RawMember[]): TextEdit {
  const spread = node.kind !== "scalar" && text.slice(node.start, node.end).includes("\n");
  return { start: node.start, end: node.end, text: renderObject(members, spread ? layoutAt(text, node.start) : flat) };
}

/** Objects after the last item. */
export function appendObjects(text: string, array: JsonArray, items: readonly (readonly RawMember[])[]): TextEdit {
  return append(text, array, array.items, (layout) => items.map((members) => renderObject(members, layout)));
}

/** Members after the last one, each an array of objects. */
export function appendArrays(
  text: string,
  object: JsonObject,
  members: readonly { readonly key: string; readonly items: readonly (readonly RawMember[])[] }[],
): TextEdit {
  const spans = object.members.map((member) => ({ start: member.start, end: member.value.end }));
  return append(text, object, spans, (layout) =>
    members.map(({ key, items }) => `${JSON.stringify(key)}:${layout.gap}${renderArray(items, layout)}`),
  );
}

/** Any value in the place of another one. */
export function replaceByValue(text: string, node: JsonNode, value: unknown): TextEdit {
  const layout = text.includes("\n") ? layoutAt(text, node.start) : flat;
  return { start: node.start, end: node.end, text: renderValue(value, layout) };
}

/** Members with any value after the last one. */
export function appendValues(
  text: string,
  object: JsonObject,
  members: readonly { readonly key: string; readonly value: unknown }[],
): TextEdit {
  const spans = object.members.map((member) => ({ start: member.start, end: member.value.end }));
  return append(text, object, spans, (layout) =>
    members.map(({ key, value }) => `${JSON.stringify(key)}:${layout.gap}${renderValue(value, layout)}`),
  );
}

/** Items with any value after the last one. */
export function appendItems(text: string, array: JsonArray, values: readonly unknown[]): TextEdit {
  return append(text, array, array.items, (layout) => values.map((value) => renderValue(value, layout)));
}

/** Takes items out, with the comma that set each apart. */
export function removeItems(array: JsonArray, gone: ReadonlySet<JsonNode>): readonly TextEdit[] {
  return remove(array, array.items, (item) => gone.has(item), "[]");
}

/** Takes members out, as items. */
export function removeMembers(object: JsonObject, gone: ReadonlySet<JsonMember>): readonly TextEdit[] {
  const spans = object.members.map((member) => ({ member, start: member.start, end: member.value.end }));
  return remove(object, spans, ({ member }) => gone.has(member), "{}");
}

function remove<T extends { readonly start: number; readonly end: number }>(
  container: JsonArray | JsonObject,
  items: readonly T[],
  isGone: (item: T) => boolean,
  empty: string,
): readonly TextEdit[] {
  const kept = items.filter((item) => !isGone(item));
  if (kept.length === items.length) return [];
  if (kept.length === 0) return [{ start: container.start, end: container.end, text: empty }];
  const edits: TextEdit[] = [];
  for (const [index, item] of items.entries()) {
    if (!isGone(item)) continue;
    const before = items[index - 1];
    const after = items[index + 1];
    // The first of the list goes with the comma behind it, any other one with the comma before it.
    const leading = items.slice(0, index).every(isGone);
    if (leading && after !== undefined) edits.push({ start: item.start, end: after.start, text: "" });
    else if (before !== undefined) edits.push({ start: before.end, end: item.end, text: "" });
  }
  return edits;
}

export function rawMember(text: string, member: JsonMember): RawMember {
  return { key: member.key, value: text.slice(member.value.start, member.value.end) };
}

/** How parts are set apart: each on a line of its own below an indentation, or all on one line. */
interface Layout {
  readonly newline: string;
  readonly indent: string;
  readonly spread: boolean;
  readonly gap: string;
}

const flat: Layout = { newline: "", indent: "", spread: false, gap: "" };

function layoutAt(text: string, position: number): Layout {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const lineStart = text.lastIndexOf("\n", position - 1) + 1;
  const indent = /^[ \t]*/.exec(text.slice(lineStart, position))?.[0] ?? "";
  return { newline, indent, spread: true, gap: " " };
}

function deeper(layout: Layout): Layout {
  return { ...layout, indent: `${layout.indent}  ` };
}

function append(
  text: string,
  container: JsonArray | JsonObject,
  parts: readonly { readonly start: number; readonly end: number }[],
  render: (layout: Layout) => readonly string[],
): TextEdit {
  const last = parts.at(-1);
  if (last === undefined) {
    const around = text.includes("\n") ? layoutAt(text, container.start) : flat;
    const body = around.spread ? deeper(around) : around;
    const [open, close] = container.kind === "array" ? ["[", "]"] : ["{", "}"];
    return { start: container.start, end: container.end, text: `${open}${list(render(body), around)}${close}` };
  }
  const lead = /\s*$/.exec(text.slice(container.start + 1, last.start).slice(-1_000))?.[0] ?? "";
  const layout = lead.includes("\n") ? layoutAt(text, last.start) : flat;
  return {
    start: last.end,
    end: last.end,
    text: render(layout)
      .map((part) => `,${lead}${part}`)
      .join(""),
  };
}

function renderObject(members: readonly RawMember[], layout: Layout): string {
  const parts = members.map(({ key, value }) => `${JSON.stringify(key)}:${layout.gap}${value}`);
  return `{${list(parts, layout)}}`;
}

function renderArray(items: readonly (readonly RawMember[])[], layout: Layout): string {
  const inner = layout.spread ? deeper(layout) : layout;
  return `[${list(
    items.map((members) => renderObject(members, inner)),
    layout,
  )}]`;
}

function renderValue(value: unknown, { spread, newline, indent }: Layout): string {
  return spread ? JSON.stringify(value, null, 2).replaceAll("\n", `${newline}${indent}`) : JSON.stringify(value);
}

function list(parts: readonly string[], layout: Layout): string {
  if (parts.length === 0) return "";
  if (!layout.spread) return parts.join(",");
  const { newline, indent } = layout;
  return `${newline}${parts.map((part) => `${indent}  ${part}`).join(`,${newline}`)}${newline}${indent}`;
}
