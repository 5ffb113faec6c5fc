// The text a person would see: just enough of a terminal to place what a full-screen program writes. Keeps
// one screen and no scrollback, so its memory is bounded. Colours, wide characters and everything else are
// left out; tests look for words.

const SEQUENCE =
  // CSI, OSC/DCS/APC/PM strings, other two- and three-byte escapes.
  // eslint-disable-next-line no-control-regex -- control characters are what it is made of
  /^\x1b(?:\[([<-?]*)([\d;:]*)[ -/]*([@-~])|[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]+[0-~]|[0-OQ-WYZ`-~\\])/;
const PENDING_LIMIT = 4096;

export class Screen {
  readonly columns: number;
  readonly rows: number;
  #lines: string[][];
  #row = 0;
  #column = 0;
  #saved: readonly [number, number] = [0, 0];
  #pending = "";

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
    this.#lines = Array.from({ length: rows }, () => []);
  }

  write(data: string): void {
    let rest = this.#pending + data;
    this.#pending = "";
    while (rest !== "") {
      if (!rest.startsWith("\x1b")) {
        const end = rest.indexOf("\x1b");
        const plain = end < 0 ? rest : rest.slice(0, end);
        for (const character of plain) this.#put(character);
        rest = rest.slice(plain.length);
        continue;
      }
      const match = SEQUENCE.exec(rest);
      if (match === null) {
        // An escape cut in two by the chunking; a hopeless one is dropped.
        if (rest.length < PENDING_LIMIT) {
          this.#pending = rest;
          return;
        }
        rest = rest.slice(1);
        continue;
      }
      this.#sequence(match);
      rest = rest.slice(match[0].length);
    }
  }

  text(): string {
    return this.#lines
      .map((line) =>
        // A line may have holes.
        Array.from(line, (cell: string | undefined) => cell ?? " ")
          .join("")
          .trimEnd(),
      )
      .join("\n");
  }

  #put(character: string): void {
    switch (character) {
      case "\r":
        this.#column = 0;
        return;
      case "\n":
        this.#lineFeed();
        return;
      case "\b":
        this.#column = Math.max(0, this.#column - 1);
        return;
      case "\t":
        this.#column = Math.min(this.columns - 1, (Math.floor(this.#column / 8) + 1) * 8);
        return;
    }
    if (character < " ") return;
    if (this.#column >= this.columns) {
      this.#column = 0;
      this.#lineFeed();
    }
    const line = this.#lines[this.#row];
    if (line !== undefined) line[this.#column] = character;
    this.#column += 1;
  }

  #lineFeed(): void {
    if (this.#row < this.rows - 1) {
      this.#row += 1;
      return;
    }
    this.#lines.shift();
    this.#lines.push([]);
  }

  #sequence(match: RegExpExecArray): void {
    const [whole, prefix, parameters = "", final] = match;
    if (final === undefined) {
      if (whole === "\x1b7") this.#saved = [this.#row, this.#column];
      if (whole === "\x1b8") [this.#row, this.#column] = this.#saved;
      return;
    }
    const numbers = parameters.split(";").map((part) => Number(part) || 0);
    const first = numbers[0] ?? 0;
    const count = Math.max(1, first);
    if (prefix !== "") {
      // Entering or leaving the alternate screen starts an empty one.
      if ((final === "h" || final === "l") && numbers.includes(1049)) this.#clear();
      return;
    }
    switch (final) {
      case "A":
        return this.#move(this.#row - count, this.#column);
      case "B":
        return this.#move(this.#row + count, this.#column);
      case "C":
        return this.#move(this.#row, this.#column + count);
      case "D":
        return this.#move(this.#row, this.#column - count);
      case "E":
        return this.#move(this.#row + count, 0);
      case "F":
        return this.#move(this.#row - count, 0);
      case "G":
        return this.#move(this.#row, count - 1);
      case "d":
        return this.#move(count - 1, this.#column);
      case "H":
      case "f":
        return this.#move(count - 1, Math.max(1, numbers[1] ?? 1) - 1);
      case "J":
        return this.#eraseDisplay(first);
      case "K":
        return this.#eraseLine(first);
      case "L":
        return this.#shiftLines(count);
      case "M":
        return this.#shiftLines(-count);
      case "P":
        this.#lines[this.#row]?.splice(this.#column, count);
        return;
      case "X":
        for (let offset = 0; offset < count; offset += 1) this.#blank(this.#row, this.#column + offset);
        return;
      case "s":
        this.#saved = [this.#row, this.#column];
        return;
      case "u":
        [this.#row, this.#column] = this.#saved;
        return;
    }
  }

  #move(row: number, column: number): void {
    this.#row = Math.min(this.rows - 1, Math.max(0, row));
    this.#column = Math.min(this.columns - 1, Math.max(0, column));
  }

  #eraseLine(mode: number): void {
    const line = this.#lines[this.#row];
    if (line === undefined) return;
    if (mode === 0) line.length = Math.min(line.length, this.#column);
    if (mode === 1) for (let column = 0; column <= this.#column; column += 1) this.#blank(this.#row, column);
    if (mode === 2) line.length = 0;
  }

  #eraseDisplay(mode: number): void {
    if (mode >= 2) return this.#clear();
    this.#eraseLine(mode);
    for (const [row, line] of this.#lines.entries()) {
      if (mode === 0 ? row > this.#row : row < this.#row) line.length = 0;
    }
  }

  #shiftLines(count: number): void {
    const below = this.#lines.splice(this.#row);
    for (let step = 0; step < Math.abs(count); step += 1) {
      if (count > 0) below.unshift([]);
      else below.shift();
    }
    while (this.#row + below.length < this.rows) below.push([]);
    this.#lines.push(...below.slice(0, this.rows - this.#row));
  }

  #blank(row: number, column: number): void {
    const line = this.#lines[row];
    if (line !== undefined && column < line.length) line[column] = " ";
  }

  #clear(): void {
    this.#lines = Array.from({ length: this.rows }, () => []);
  }
}
