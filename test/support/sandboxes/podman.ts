// A Podman of the test's own, with its own storage and Engine API socket, and containers with stand-in sessions inside.
// It works as root and with runc only, without a network and with resource limits that a small machine grants.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { askSocket } from "../../../base/node/unixHttp.ts";
import { until } from "../claude/until.ts";
import { startTicks } from "../rollcall/standIn.ts";

/** Why this machine cannot run one; undefined where it can. */
export function podmanMissing(): string | undefined {
  if (process.getuid?.() !== 0) return "needs root";
  for (const program of ["podman", "runc", "busybox"])
    if (spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0)
      return `needs ${program}: apt-get install podman runc busybox-static`;
  return undefined;
}

export interface ContainerStart {
  readonly labels?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Further arguments of `podman run`. */
  readonly args?: readonly string[];
  readonly command?: readonly string[];
}

const image = "rollcall-test:1";
const applets = "cat ls sleep readlink od tr date head mkdir rm ln mkfifo kill ps env printf".split(" ");

export class PodmanWorld {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-podman-")));
  readonly socket = join(this.root, "engine.sock");
  /** Folders of the host that make a dynamically linked program run inside. */
  readonly libraries = ["/lib", "/lib64", "/usr/lib"].filter((path) => existsSync(path));
  private readonly env: NodeJS.ProcessEnv;
  private service: ChildProcess | undefined;

  constructor() {
    const conf = join(this.root, "containers.conf");
    writeFileSync(
      conf,
      [
        "[containers]",
        'default_ulimits = ["nofile=20000:20000", "nproc=8000:8000"]',
        "[engine]",
        'cgroup_manager = "cgroupfs"',
        'runtime = "runc"',
        'events_logger = "file"',
      ].join("\n"),
    );
    this.env = { PATH: process.env["PATH"], HOME: this.root, CONTAINERS_CONF: conf };
    this.makeImage();
  }

  /** The Engine API on its socket; resolves when it answers. */
  async serve(socket = this.socket): Promise<void> {
    if (this.service !== undefined) return;
    const service = spawn("podman", [...this.where, "system", "service", "--time", "0", `unix://${socket}`], {
      env: this.env,
      stdio: "ignore",
    });
    this.service = service;
    await until(
      "an engine that answers",
      async () => {
        if (service.exitCode !== null) throw new Error(`podman's service ended with ${service.exitCode}`);
        const answer = await askSocket({
          socket,
          method: "GET",
          path: "/_ping",
          deadlineMs: 5_000,
          answerLimitBytes: 100,
        });
        return answer.kind === "answered";
      },
      { deadlineMs: 30_000 },
    );
  }

  async stopServing(): Promise<void> {
    const { service } = this;
    this.service = undefined;
    if (service === undefined || service.exitCode !== null || service.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => service.once("exit", () => resolve()));
    service.kill("SIGKILL");
    await ended;
  }

  /** Starts one; its id. */
  run(name: string, { labels = {}, env = {}, args = [], command = ["sleep", "600"] }: ContainerStart = {}): string {
    return this.podman(
      "run",
      "--detach",
      `--name=${name}`,
      "--network=none",
      ...Object.entries(labels).map(([label, value]) => `--label=${label}=${value}`),
      ...Object.entries(env).map(([key, value]) => `--env=${key}=${value}`),
      ...args,
      image,
      ...command,
    ).trim();
  }

  /** @throws what Podman says where it fails */
  podman(...args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync("podman", [...this.where, ...args], {
      env: this.env,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`podman ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  /** As the host counts. */
  pidOf(container: string): number {
    return Number(this.podman("inspect", "--format", "{{.State.Pid}}", container));
  }

  namespaceOf(container: string): string {
    return namespaceOfPid(this.pidOf(container));
  }

  /** A container whose session is a program of the agent's name; its records are written by the test. */
  runSession(name: string, start: ContainerStart = {}): string {
    const program = join(this.root, "bin", "claude");
    if (!existsSync(program)) {
      mkdirSync(join(this.root, "bin"), { recursive: true });
      copyFileSync("/bin/sleep", program);
    }
    return this.run(name, {
      ...start,
      env: { HOME: "/root", ...start.env },
      args: [
        ...this.libraries.map((path) => `--volume=${path}:${path}:ro`),
        `--volume=${program}:/usr/local/bin/claude:ro`,
        ...(start.args ?? []),
      ],
      command: start.command ?? ["/usr/local/bin/claude", "600"],
    });
  }

  async close(): Promise<void> {
    const all = this.podman("ps", "--all", "--quiet").split("\n").filter(Boolean);
    for (const id of all) {
      spawnSync("podman", [...this.where, "unpause", id], { env: this.env });
      this.podman("rm", "--force", "--time=0", id);
    }
    await this.stopServing();
    this.endMonitors();
    spawnSync("podman", [...this.where, "umount", "--all"], { env: this.env });
    rmSync(this.root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  /** Podman keeps those of programs that were run in a container for minutes. */
  private endMonitors(): void {
    for (const name of readdirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, "latin1");
        if (command.startsWith("/usr/bin/conmon\0") && command.includes(`${this.root}/`))
          process.kill(Number(name), "SIGKILL");
      } catch {
        // It has ended meanwhile.
      }
    }
  }

  private get where(): readonly string[] {
    return [
      `--root=${join(this.root, "storage")}`,
      `--runroot=${join(this.root, "run")}`,
      `--tmpdir=${join(this.root, "tmp")}`,
    ];
  }

  private makeImage(): void {
    const bin = join(this.root, "image", "bin");
    for (const folder of ["bin", "tmp", "root", "usr/local/bin"])
      mkdirSync(join(this.root, "image", folder), { recursive: true });
    const busybox = spawnSync("sh", ["-c", "command -v busybox"], { encoding: "utf8" }).stdout.trim();
    copyFileSync(busybox, join(bin, "busybox"));
    for (const applet of applets) symlinkSync("busybox", join(bin, applet));
    // A file of its own, which a test may mount another one over.
    copyFileSync(busybox, join(bin, "sh"));
    // Debian has one that needs no libraries and one that does.
    const needs = spawnSync("ldd", [busybox], { encoding: "utf8" }).stdout;
    for (const [path] of needs.matchAll(/\/\S+/g)) {
      if (path === busybox || path.endsWith(":")) continue;
      mkdirSync(join(this.root, "image", dirname(path)), { recursive: true });
      copyFileSync(path, join(this.root, "image", path));
    }
    const archive = join(this.root, "image.tar");
    spawnSync("tar", ["-C", join(this.root, "image"), "-cf", archive, "."]);
    this.podman("import", archive, image);
    rmSync(archive);
  }
}

export function namespaceOfPid(pid: number): string {
  return /\d+/.exec(readlinkSync(`/proc/${pid}/ns/pid`))?.[0] ?? "";
}

/** A stand-in's record, as the coding agent inside would write it. */
export function recordInside(pid: number, sessionId: string, fields: Readonly<Record<string, unknown>> = {}): string {
  const now = Date.now();
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const inner = Number(/^NSpid:.*\s(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);
  return JSON.stringify({
    pid: inner,
    sessionId,
    cwd: "/root",
    startedAt: now,
    procStart: stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19],
    version: "2.1.332",
    kind: "interactive",
    entrypoint: "cli",
    pidDomain: `linux::pid:[${namespaceOfPid(pid)}]`,
    status: "busy",
    updatedAt: now,
    statusUpdatedAt: now,
    ...fields,
  });
}

/** Resolves when a process is old enough to be taken for a session by its program alone. */
export async function settled(pid: number): Promise<void> {
  const started = Number(startTicks(pid)) / 100;
  const uptime = (): number => Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]);
  await until("a settled process", () => uptime() - started > 2.5, { deadlineMs: 10_000 });
}
