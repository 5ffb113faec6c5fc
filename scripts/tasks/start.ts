// `npm start`: builds Rollcall and opens it in VS Code's own workbench, served to a browser of this machine. It shows
// the sessions of whoever runs it. Ctrl+C ends the window's server; the agent ends by itself when nobody needs it.
import { join } from "node:path";
import { cacheRoot } from "../cache/packageCache.ts";
import { root, runScript } from "../testing/tool.ts";
import { startWorkbench } from "../workbench/codeServer.ts";

const build = await runScript(join(root, "scripts", "tasks", "build.ts"), []);
if (build.failed > 0) process.exit(1);
const workbench = await startWorkbench({
  extension: { kind: "folder", folder: root },
  userDataDir: join(cacheRoot(), "workbench-user"),
});
let ending = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    if (ending) return;
    ending = true;
    void workbench.dispose().then(() => process.exit(0));
  });
process.stdout.write(
  [
    "",
    "Rollcall is in this window's activity bar:",
    "",
    `  ${workbench.url(root)}`,
    "",
    "The address holds a key: whoever has it has a shell as you. Ctrl+C ends the server.",
    "",
  ].join("\n"),
);
await workbench.exited;
if (!ending) {
  process.stderr.write("rollcall: the workbench's server has ended\n");
  process.exit(1);
}
