// Two texts as the difference that people read: only the lines that change, with a few around them.

const context = 3;
/** Beyond so many lines the middle is told as taken out and put in, without looking for what both share. */
const mostCompared = 4_000;

interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** Empty where nothing changes. */
export function unifiedDiff(
  before: string,
  after: string,
  names: { readonly from: string; readonly to: string },
): string {
  const lines = compare(linesOf(before), linesOf(after));
  const hunks = hunksOf(lines);
  if (hunks.length === 0) return "";
  const shown = hunks.map(({ start, end }) => {
    const left = lines.slice(0, start).filter(({ mark }) => mark !== "+").length;
    const right = lines.slice(0, start).filter(({ mark }) => mark !== "-").length;
    const part = lines.slice(start, end);
    const of = (other: "+" | "-"): number => part.filter(({ mark }) => mark !== other).length;
    const head = `@@ -${range(left, of("+"))} +${range(right, of("-"))} @@`;
    return [head, ...part.map(({ mark, text }) => `${mark}${text}`)].join("\n");
  });
  return `--- ${names.from}\n+++ ${names.to}\n${shown.join("\n")}\n`;
}

const noNewline = "\\ No newline at end of file";

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  // The mark stands below the line that lacks its end, as other tools write it.
  if (lines.at(-1) === "") lines.pop();
  else lines[lines.length - 1] = `${lines.at(-1) ?? ""}\n${noNewline}`;
  return lines;
}

function range(before: number, count: number): string {
  return `${count === 0 ? before : before + 1},${count}`;
}

function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const same = (text: string): Line => ({ mark: " ", text });
  return [
    ...before.slice(0, head).map(same),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

/** By the longest run of lines that both have in the same order. */
function middle(before: readonly string[], after: readonly string[]): readonly Line[] {
  const taken = (text: string): Line => ({ mark: "-", text });
  const put = (text: string): Line => ({ mark: "+", text });
  if (before.length * after.length > mostCompared * mostCompared) return [...before.map(taken), ...after.map(put)];
  const width = after.length + 1;
  const common = new Uint16Array((before.length + 1) * width);
  for (let row = before.length - 1; row >= 0; row -= 1)
    for (let column = after.length - 1; column >= 0; column -= 1)
      common[row * width + column] =
        before[row] === after[column]
          ? (common[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(common[(row + 1) * width + column] ?? 0, common[row * width + column + 1] ?? 0);
  const lines: Line[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    const old = before[row];
    const fresh = after[column];
    if (old !== undefined && old === fresh) {
      lines.push({ mark: " ", text: old });
      row += 1;
      column += 1;
      continue;
    }
    const skipOld = common[(row + 1) * width + column] ?? 0;
    const skipNew = common[row * width + column + 1] ?? 0;
    if (old !== undefined && (fresh === undefined || skipOld >= skipNew)) {
      lines.push(taken(old));
      row += 1;
    } else {
      lines.push(put(fresh ?? ""));
      column += 1;
    }
  }
  return lines;
}

function hunksOf(lines: readonly Line[]): readonly { readonly start: number; readonly end: number }[] {
  const hunks: { start: number; end: number }[] = [];
  for (const [index, { mark }] of lines.entries()) {
    if (mark === " ") continue;
    const start = Math.max(0, index - context);
    const end = Math.min(lines.length, index + context + 1);
    const last = hunks.at(-1);
    if (last !== undefined && start <= last.end) last.end = end;
    else hunks.push({ start, end });
  }
  return hunks;
}
