// The demo's world: a scratch folder with living sessions in it. Starts every role, lets a killed one be resumed when
// its next round begins, tears and heals the registry, and takes everything down again.
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { demoEnvironment, makeDemoFolder, removeDemoFolder, sweepDemoFolders, type DemoFolder } from "./demoFolder.ts";
import { findSandboxTool, type SandboxTool } from "./sandbox.ts";
import { transcriptPath } from "./standIn/conversation.ts";
import { seededIds } from "./standIn/ids.ts";
import { StandInProcess } from "./standInProcess.ts";
import { SandboxRegistry, type RecordedSession } from "./sandboxRegistry.ts";
import { registryHealedAt, registryTornAt, roles, roundSeconds, titles, yesterday, type Role } from "./story.ts";
import { writeWelcome } from "./welcome.ts";

const dayMs = 24 * 3_600_000;

export interface DemoWorldOptions {
  /** 1 is the story's own speed, 0.1 ten times as fast. */
  readonly pace: number;
}

export class DemoWorld {
  readonly folder: DemoFolder;
  readonly env: Record<string, string>;
  readonly sandboxTool: SandboxTool;
  readonly beganAt = Date.now();
  private readonly pace: number;
  private readonly seed = randomBytes(6).toString("hex");
  private readonly running = new Map<string, StandInProcess>();
  private readonly ending = new AbortController();

  constructor({ pace }: DemoWorldOptions) {
    sweepDemoFolders();
    this.pace = pace;
    this.folder = makeDemoFolder();
    this.env = demoEnvironment(this.folder);
    this.sandboxTool = findSandboxTool();
    writeWelcome(this.folder.workspace);
    for (const role of roles) void this.play(role);
    void this.tearAndHeal(new SandboxRegistry(this.folder.registry, this.recorded()));
  }

  private get roundMs(): number {
    return roundSeconds * 1000 * this.pace;
  }

  /** Where in the story we are. */
  moment(): { readonly round: number; readonly second: number } {
    const since = Date.now() - this.beganAt;
    return { round: Math.floor(since / this.roundMs), second: (since % this.roundMs) / (1000 * this.pace) };
  }

  async close(): Promise<void> {
    this.ending.abort();
    await Promise.all([...this.running.values()].map((standIn) => standIn.end()));
    removeDemoFolder(this.folder);
  }

  /** One process after the other, each going on with the conversation of the one that was killed. */
  private async play(role: Role): Promise<void> {
    const tool = role.sandbox === undefined ? undefined : this.sandboxTool;
    if (tool?.kind === "none") return;
    const cwd = join(this.folder.workspace, role.folder);
    mkdirSync(cwd, { recursive: true });
    const sessionId = this.sessionId(role.key);
    for (let start = 0; ; start += 1) {
      const standIn = new StandInProcess({
        folder: this.folder,
        sandbox: tool,
        resumes: start > 0 || role.past !== undefined,
        assignment: {
          sessionId,
          seed: `${this.seed}-${role.key}-${start}`,
          cwd,
          entrypoint: role.entrypoint,
          socketFolder: join(this.folder.root, "messages"),
          ...(role.past === undefined ? {} : { past: role.past }),
          opening: role.opening,
          round: role.round,
          roundSeconds,
          beganAt: this.beganAt,
          pace: this.pace,
        },
      });
      this.running.set(role.key, standIn);
      const signal = await standIn.exited;
      if (signal !== "SIGKILL" || !(await this.nextRound())) return;
      // Who resumes a killed session takes away what it left, so that a long demo does not fill the folder.
      if (standIn.pid !== undefined)
        rmSync(join(this.folder.configDir, "sessions", `${standIn.pid}.json`), { force: true });
    }
  }

  private sessionId(key: string): string {
    return seededIds(`${this.seed}-${key}`).uuid();
  }

  private recorded(): readonly RecordedSession[] {
    const today = roles.flatMap(({ key, sandbox, folder }): readonly RecordedSession[] => {
      if (sandbox === undefined) return [];
      const cwd = join(this.folder.workspace, folder);
      const sessionId = this.sessionId(key);
      const transcript = transcriptPath(this.folder.configDir, cwd, sessionId);
      return [{ sandbox, sessionId, cwd, transcript, startedAt: this.beganAt, name: titles[sandbox] }];
    });
    const before = yesterday.map(({ sandbox, folder, title }) => ({
      sandbox,
      sessionId: this.sessionId(title),
      cwd: join(this.folder.workspace, folder),
      startedAt: this.beganAt - dayMs,
      name: title,
    }));
    return [...today, ...before];
  }

  private async tearAndHeal(registry: SandboxRegistry): Promise<void> {
    for (let round = 0; ; round += 1) {
      if (!(await this.until(round, registryTornAt))) return;
      registry.tear();
      if (!(await this.until(round, registryHealedAt))) return;
      registry.heal();
    }
  }

  private nextRound(): Promise<boolean> {
    return this.until(this.moment().round + 1, 0);
  }

  /** False where the demo ends before. */
  private async until(round: number, second: number): Promise<boolean> {
    const at = this.beganAt + round * this.roundMs + second * 1000 * this.pace;
    try {
      await delay(Math.max(0, at - Date.now()), undefined, { signal: this.ending.signal });
      return true;
    } catch (error) {
      if (this.ending.signal.aborted) return false;
      throw error;
    }
  }
}
