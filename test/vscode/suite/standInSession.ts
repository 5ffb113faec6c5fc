// A session to look at: a process whose executable is named as the agent's, and the record that the agent would
// write for it. Enough for what the workbench shows; what the real agent writes is proven elsewhere.
import { spawn, type ChildProcess } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface World {
  readonly folder: string;
  readonly configDir: string;
}

export function worldFromEnvironment(): World {
  const folder = process.env["ROLLCALL_TEST_WORLD"];
  if (folder === undefined) throw new Error("ROLLCALL_TEST_WORLD is not set: run this suite with npm test");
  return { folder, configDir: join(folder, ".claude") };
}

export class StandInSession {
  readonly id: string;
  readonly pid: number;
  private readonly world: World;
  private readonly child: ChildProcess;

  constructor(world: World, id: string, name: string) {
    this.world = world;
    this.id = id;
    const executable = standInExecutable(world);
    this.child = spawn(executable, ["600"], { stdio: "ignore", cwd: world.folder });
    this.pid = this.child.pid ?? 0;
    this.says({ name, status: "idle" });
  }

  /** Writes the record anew, as a whole. */
  says(told: { readonly name: string; readonly status: string; readonly waitingFor?: string }): void {
    writeRecord(this.world, this.pid, this.id, told);
  }

  end(): void {
    this.child.kill("SIGKILL");
  }
}

export function standInExecutable(world: World): string {
  const folder = join(world.folder, "bin");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "claude");
  try {
    copyFileSync("/bin/sleep", path);
  } catch (error) {
    // One that runs already cannot be written to, and is the same.
    if ((error as NodeJS.ErrnoException).code !== "ETXTBSY") throw error;
  }
  return path;
}

export function writeRecord(
  world: World,
  pid: number,
  sessionId: string,
  told: { readonly name: string; readonly status: string; readonly waitingFor?: string },
): void {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const procStart = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  const now = Date.now();
  const record = {
    pid,
    sessionId,
    cwd: world.folder,
    startedAt: now,
    procStart,
    kind: "interactive",
    nameSource: "user",
    updatedAt: now,
    statusUpdatedAt: now,
    ...told,
  };
  const folder = join(world.configDir, "sessions");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${pid}.json.new`), JSON.stringify(record));
  renameSync(join(folder, `${pid}.json.new`), join(folder, `${pid}.json`));
}
