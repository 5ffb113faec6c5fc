// Entry of every npm script. Plain JavaScript that any Node from 20 on can run: it brings the clean
// install and, where the Node at hand is older than 24, the Node that the lock file pins; then it hands
// over to scripts/tasks/<name>.ts, which holds the work itself.
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lockFile = join(root, "package-lock.json");
const stamp = join(root, "node_modules", ".rollcall-lock");
const windows = process.platform === "win32";
const isNewEnough = Number(process.versions.node.split(".")[0]) >= 24;

function fail(message) {
  process.stderr.write(`rollcall: ${message}\n`);
  process.exit(1);
}

function dependenciesAreCurrent() {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === readFileSync(lockFile, "utf8");
}

function installDependencies() {
  // Of a link npm would empty what it points to.
  if (lstatSync(join(root, "node_modules"), { throwIfNoEntry: false })?.isSymbolicLink()) {
    fail("node_modules is a link to another clone's; remove the link and run this again");
  }
  process.stderr.write("rollcall: installing the locked dependencies (npm ci)\n");
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  // npm warns of packages that need a newer Node than the one it runs in. They run in the one that this install brings.
  if (!isNewEnough) args.push("--loglevel=error");
  const npm = spawnSync(windows ? "npm.cmd" : "npm", args, {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: windows,
  });
  if (npm.status !== 0) {
    fail("npm ci failed, see its output above; check that the npm registry can be reached and run this again");
  }
  writeFileSync(stamp, readFileSync(lockFile, "utf8"));
}

/** The Node to run the tasks with: this one from 24 on, else the pinned package's binary. */
function nodeForTasks() {
  if (isNewEnough) return process.execPath;
  const name = `node-${windows ? "win" : process.platform}-${process.arch}`;
  const binary = join(root, "node_modules", name, "bin", windows ? "node.exe" : "node");
  if (existsSync(binary) && statSync(binary).isFile()) return binary;
  return fail(
    `no Node 24 is packaged for ${process.platform} ${process.arch}; install Node 24 or newer and run this again`,
  );
}

const [task, ...rest] = process.argv.slice(2);
if (task === undefined) fail("usage: node scripts/run.mjs <task>");
const file = join(root, "scripts", "tasks", `${task}.ts`);
if (!existsSync(file)) fail(`there is no task ${task}`);
if (!dependenciesAreCurrent()) installDependencies();
const node = nodeForTasks();
// Ctrl-C reaches the task too; it says when it is done.
const wait = () => undefined;
process.on("SIGINT", wait);
// Children that say `node` get the same one.
const env = { ...process.env, PATH: `${dirname(node)}${windows ? ";" : ":"}${process.env.PATH ?? ""}` };
const done = spawnSync(node, ["--disable-warning=ExperimentalWarning", file, ...rest], {
  cwd: root,
  stdio: "inherit",
  env,
});
process.off("SIGINT", wait);
if (done.signal) process.kill(process.pid, done.signal);
process.exit(done.status ?? 1);
