// A pid namespace of its own for a program: with bubblewrap, else with unshare. Which of them works here is tried, since
// installed is not allowed.
import { spawnSync } from "node:child_process";

export type SandboxTool =
  | { readonly kind: "bwrap" | "unshare"; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: "none"; readonly because: string };

const tryDeadlineMs = 5_000;

const candidates = [
  {
    kind: "bwrap",
    command: "bwrap",
    args: ["--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", "--proc", "/proc", "--"],
  },
  {
    kind: "unshare",
    command: "unshare",
    args: ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc", "--"],
  },
] as const;

export function findSandboxTool(): SandboxTool {
  if (process.platform !== "linux") return { kind: "none", because: "pid namespaces are Linux's" };
  const works = candidates.find(({ command, args }) => {
    const { status } = spawnSync(command, [...args, "true"], { stdio: "ignore", timeout: tryDeadlineMs });
    return status === 0;
  });
  return works ?? { kind: "none", because: "neither bwrap nor unshare may make a pid namespace here" };
}
