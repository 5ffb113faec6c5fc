// Runs in a child of the agent: one whole process table by ps-list, as JSON on stdout. ps-list has no deadline
// and its `ps` may hang, so the agent can kill this process with all it started.
import psList from "ps-list";

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
