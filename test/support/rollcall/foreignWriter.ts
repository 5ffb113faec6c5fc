// A program that writes the registry as no program should: it reads what stands there, takes what it cannot parse for
// nothing, puts its own slice in and writes all of it back, as fast as it can. Run with the file, the ways in which it
// writes (in-place, rename, truncate, delete), a seed, and how long it rests at most between two writes; it ends with its standard input.
import { closeSync, openSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync, writeSync } from "node:fs";

const [path = "", wayList = "in-place", seed = "1", restMs = "0"] = process.argv.slice(2);
const ways = wayList.split(",");
const sandbox = "theirs";

interface Content {
  version: number;
  sandboxes: Record<string, unknown>;
}

let state = Number(seed) >>> 0;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

function readOrNothing(): Content {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Content;
  } catch {
    return { version: 1, sandboxes: {} };
  }
}

function writeInPieces(text: string): void {
  const file = openSync(path, "w");
  const middle = Math.floor(text.length * random());
  writeSync(file, text.slice(0, middle));
  writeSync(file, text.slice(middle));
  closeSync(file);
}

function write(text: string, way: string | undefined): void {
  switch (way) {
    case "rename":
      writeFileSync(`${path}.theirs`, text);
      renameSync(`${path}.theirs`, path);
      return;
    case "truncate":
      truncateSync(path, Math.floor(text.length * random()));
      return;
    case "delete":
      rmSync(path, { force: true });
      return;
    default:
      writeInPieces(text);
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));
function rest(): void {
  if (restMs !== "0") Atomics.wait(sleeper, 0, 0, Number(restMs) * random());
}

let rounds = 0;
function round(): void {
  // Some rounds for each turn of the loop, in which the end of the input is heard.
  for (let count = 0; count < 20; count += 1) {
    rest();
    const content = readOrNothing();
    rounds += 1;
    content.sandboxes[sandbox] = [{ session_id: "theirs-1", round: rounds }];
    try {
      write(`${JSON.stringify(content, null, 2)}\n`, ways[Math.floor(random() * ways.length)]);
    } catch {
      // Another one's turn.
    }
  }
  if (!ended) setImmediate(round);
}

let ended = false;
process.stdin.on("end", () => {
  ended = true;
  process.stdout.write(`${rounds}\n`);
});
process.stdin.resume();
round();
