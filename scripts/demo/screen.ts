// How the demo's terminal looks: what to know, what is told, and below it the live roster. On a terminal one page is drawn
// over and over; elsewhere, such as in a log, each told line is a line and the roster follows now and then.
import { rosterTable } from "../../cli/rosterTable.ts";
import { printable } from "../../cli/printable.ts";
import type { Roster } from "../../protocol/roster.ts";

export interface Screen {
  note(line: string): void;
  say(line: string): void;
  show(roster: Roster): void;
  close(): void;
}

const drawEveryMs = 500;
const tableInLogEveryMs = 20_000;
const toldAtMost = 200;

export function demoScreen(): Screen {
  return process.stdout.isTTY ? new Page() : new Log();
}

class Page implements Screen {
  private readonly notes: string[] = [];
  private readonly told: string[] = [];
  private roster: Roster | undefined;
  private readonly timer = setInterval(() => this.draw(), drawEveryMs);

  note(line: string): void {
    this.notes.push(line);
    this.draw();
  }

  say(line: string): void {
    this.told.push(line);
    this.told.splice(0, this.told.length - toldAtMost);
    this.draw();
  }

  show(roster: Roster): void {
    this.roster = roster;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private draw(): void {
    // A terminal that does not tell its size says 0.
    const columns = process.stdout.columns || 80;
    const rows = process.stdout.rows || 24;
    const table =
      this.roster === undefined
        ? ["Looking ..."]
        : rosterTable(printable(this.roster), {
            columns,
            colours: process.env["NO_COLOR"] === undefined,
            now: () => Date.now(),
          })
            .trimEnd()
            .split("\n");
    const notes = this.notes.flatMap((line) => wrapped(line, columns));
    const told = this.told.flatMap((line) => wrapped(line, columns));
    const room = Math.max(4, rows - notes.length - table.length - 3);
    const all = [...notes, "", ...told.slice(-room), "", ...table];
    const lines =
      all.length < rows ? all : [...all.slice(0, rows - 2), `… ${all.length - rows + 2} more, in a taller window`];
    process.stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join("\n")}\u001b[J`);
  }
}

class Log implements Screen {
  private tableAt = Number.NEGATIVE_INFINITY;

  note(line: string): void {
    process.stdout.write(`${line}\n`);
  }

  say(line: string): void {
    process.stdout.write(`\n${line}\n`);
  }

  show(roster: Roster): void {
    if (performance.now() - this.tableAt < tableInLogEveryMs) return;
    this.tableAt = performance.now();
    process.stdout.write(
      `\n${rosterTable(printable(roster), { columns: undefined, colours: false, now: () => Date.now() })}`,
    );
  }

  close(): void {
    process.stdout.write("\n");
  }
}

/** At blanks; continued lines are indented. */
function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && [...line].length + 1 + [...word].length > columns) {
      lines.push(line);
      line = `   ${word}`;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
