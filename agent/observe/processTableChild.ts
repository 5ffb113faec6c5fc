// Runs in a child of the agent: one whole process table by ps-list, as JSON on stdout. ps-list has no deadline
// and its `ps` may hang, so the agent can kill this process with all it started.
import psList from "ps-list";

// An agent that was killed cannot end this process, nor a ps that hangs: both go when their parent is another.
const parent = process.ppid;
const orphaned = setInterval(() => {
  if (process.ppid === parent) return;
  if (process.platform === "win32") process.exit(1);
  process.kill(-process.pid, "SIGKILL");
}, 1_000);
orphaned.unref();

try {
  const rows = await psList();
  const table = rows.map(({ pid, ppid, name, cmd, path, startTime }) => ({
    pid,
    ppid,
    name,
    cmd: cmd?.slice(0, 4096),
    path,
    startedAt: startTime?.getTime(),
  }));
  process.stdout.write(JSON.stringify({ version: 1, rows: table }));
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
