// Preloaded into a process: counts the calls to the file system that it makes on paths below a folder, or on files that
// were opened there, and kills the process before the one whose number ROLLCALL_KILL_AT says. Calls that only read
// count where ROLLCALL_KILL_READS is set.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const at = Number(process.env.ROLLCALL_KILL_AT);
const below = process.env.ROLLCALL_KILL_BELOW;
const readsCount = process.env.ROLLCALL_KILL_READS !== undefined;
const reading = new Set("lstat stat readdir readFile opendir read fstat close realpath".split(" "));
let calls = 0;

function count(name) {
  if (!readsCount && reading.has(name.replace(/Sync$/, ""))) return;
  calls += 1;
  if (calls === at) process.kill(process.pid, "SIGKILL");
}

const isBelow = (args) => args.some((arg) => typeof arg === "string" && arg.startsWith(below));
const opened = new Set();

function wrap(holder, name, onResult) {
  const original = holder[name];
  if (typeof original !== "function") return;
  holder[name] = function (...args) {
    const counts = isBelow(args) || opened.has(args[0]);
    if (counts) count(name);
    const result = original.apply(this, args);
    return counts && onResult !== undefined ? onResult(result) : result;
  };
}

const plain = "link lstat stat mkdir readdir rename rm unlink copyFile writeFile readFile opendir truncate".split(" ");
for (const name of plain) wrap(fs.promises, name);
const sync = "link lstat mkdir readdir rename rm unlink writeFile write read fstat close fsync ftruncate".split(" ");
for (const name of sync) wrap(fs, `${name}Sync`);
for (const name of "open write fsync fchmod chmod fchown chown close rename stat lstat realpath unlink".split(" "))
  wrap(fs, name);
wrap(fs, "openSync", (file) => {
  opened.add(file);
  return file;
});
// Opening counts whatever it is for: it may make a file.
wrap(fs.promises, "open", async (opening) => {
  const handle = await opening;
  for (const name of "read write writeFile stat sync datasync chmod chown truncate close".split(" ")) {
    const original = handle[name].bind(handle);
    handle[name] = (...args) => {
      count(name);
      return original(...args);
    };
  }
  return handle;
});
syncBuiltinESMExports();
