// How a session is started where it ran. Each adapter that can enter its sandboxes has one line in the table; a sandbox
// of another kind cannot be entered from outside, which is said, and this host is offered in its place.
import type { Sandbox } from "../../protocol/roster.ts";

export interface Start {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | null>>;
}

export type SandboxEntry =
  | { readonly kind: "enter"; readonly wrap: (start: Start) => readonly string[] }
  | { readonly kind: "host"; readonly note: string }
  | { readonly kind: "stopped"; readonly state: Sandbox["state"] };

/** What an adapter prefixes to a program that runs in one of its sandboxes. */
const entries: Readonly<Record<string, (sandbox: string, start: Start) => readonly string[]>> = {
  docker: (sandbox, start) => containerExec("docker", sandbox, start),
  podman: (sandbox, start) => containerExec("podman", sandbox, start),
};

/** @param sandbox undefined where only a row names it */
export function sandboxEntry(name: string, sandbox: Sandbox | undefined): SandboxEntry {
  const enter = sandbox === undefined ? undefined : entries[sandbox.adapter];
  if (sandbox === undefined || enter === undefined)
    return {
      kind: "host",
      note: `the sandbox ${name} cannot be entered from here, so what ran in it is resumed on this host, outside of the sandbox`,
    };
  if (sandbox.state !== "running" || sandbox.stale) return { kind: "stopped", state: sandbox.state };
  return { kind: "enter", wrap: (start) => enter(name, start) };
}

function containerExec(program: string, sandbox: string, { argv, cwd, env }: Start): readonly string[] {
  const variables = Object.entries(env).flatMap(([name, value]) => (value === null ? [] : ["-e", `${name}=${value}`]));
  return [program, "exec", "-it", "-w", cwd, ...variables, sandbox, ...argv];
}
