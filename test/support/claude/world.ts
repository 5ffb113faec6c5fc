// A scratch world for real sessions: its own home, config folder and project, with the answers to every
// first-run dialog already given, and an environment in which the agent talks to the stand-in API and to
// nobody else. Nothing of the person running the tests is read or written.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLAUDE_VERSION } from "./install.ts";
import { type StandInApi, startStandInApi } from "./standInApi.ts";

const DUMMY_KEY = "sk-ant-stand-in-key-0123456789-0123456789";

export interface ClaudeWorld {
  readonly root: string;
  readonly home: string;
  readonly configDir: string;
  readonly projectDir: string;
  readonly api: StandInApi;
  readonly env: Readonly<Record<string, string>>;
  /** A further project folder, trusted like the first. */
  addProject(name: string): string;
  /** Stops the API and removes the folders; end the sessions first. */
  close(): Promise<void>;
}

export async function createClaudeWorld(): Promise<ClaudeWorld> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "rollcall-claude-")));
  const home = join(root, "home");
  const configDir = join(home, ".claude");
  const projectDir = join(home, "app");
  const projects: string[] = [];
  for (const folder of [home, configDir]) mkdirSync(folder, { mode: 0o700 });
  const addProject = (name: string): string => {
    const folder = join(home, name);
    mkdirSync(folder);
    projects.push(folder);
    seedConfig(configDir, projects);
    return folder;
  };
  addProject("app");
  const api = await startStandInApi();
  return {
    root,
    home,
    configDir,
    projectDir,
    api,
    env: environment({ home, configDir, apiUrl: api.url, scratch: root }),
    addProject,
    close: async () => {
      await api.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Called before a session starts in a new project: a running one rewrites this file. */
function seedConfig(configDir: string, projects: readonly string[]): void {
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
  const config = {
    hasCompletedOnboarding: true,
    lastOnboardingVersion: CLAUDE_VERSION,
    theme: "dark",
    // The end of the key is how an approved key is remembered.
    customApiKeyResponses: { approved: [DUMMY_KEY.slice(-20)], rejected: [] },
    projects: Object.fromEntries(projects.map((folder) => [folder, trusted])),
  };
  writeFileSync(join(configDir, ".claude.json"), JSON.stringify(config), { mode: 0o600 });
}

interface EnvironmentNeeds {
  readonly home: string;
  readonly configDir: string;
  readonly apiUrl: string;
  readonly scratch: string;
}

function environment({ home, configDir, apiUrl, scratch }: EnvironmentNeeds): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: home,
    TMPDIR: scratch,
    CLAUDE_CONFIG_DIR: configDir,
    CLAUDE_CODE_TMPDIR: scratch,
    ANTHROPIC_BASE_URL: apiUrl,
    ANTHROPIC_API_KEY: DUMMY_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    SHELL: "/bin/bash",
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    TZ: "UTC",
  };
}
