// `rollcall hooks status`: of each config folder whether our hooks are there, whether the agent runs them, and when the
// last event came.
import { lastHookEvents } from "../../../agent/hookReport.ts";
import { coarseAge, coarseAgo } from "../../../base/coarseAge.ts";
import { rollcallPaths } from "../../../base/node/paths.ts";
import type { HookSetup } from "../../../protocol/files/hookSettings.ts";
import { readHookSetup, settingsChangedAt } from "../../../protocol/node/hookInstaller.ts";
import type { HooksStatusJson } from "../../../protocol/cliJson.ts";
import type { CommandIO, ExitCode } from "../../command.ts";
import { printable } from "../../printable.ts";
import { agentVersions, newestTranscript } from "../../../protocol/node/agentVersions.ts";
import { hookTargets, type HooksAsked } from "./target.ts";

/** The agent that observes takes hooks for silent after as long. */
const silentMs = 10 * 60_000;

type FolderStatus = HooksStatusJson["folders"][number];

export async function tellStatus(asked: HooksAsked, io: CommandIO): Promise<ExitCode> {
  const last = await lastHookEvents(rollcallPaths(io.env), () => io.now());
  const folders: FolderStatus[] = [];
  for (const target of hookTargets(asked, io)) {
    const setup = await readHookSetup(target);
    const { configDir } = target;
    const lastEventAt = last.get(configDir);
    const silentSince = setup.kind === "none" ? undefined : await silence(configDir, lastEventAt);
    const agents = [...new Set((await agentVersions(configDir, io.env)).map(({ version }) => version))];
    folders.push({
      configDir,
      state: setup.kind,
      ...("isOff" in setup && setup.isOff !== undefined ? { switchedOffBy: setup.isOff } : {}),
      ...(setup.kind === "partly" ? { missing: [...setup.missing] } : {}),
      ...(setup.kind === "refused" ? { cause: setup.because } : {}),
      ...(lastEventAt === undefined ? {} : { lastEventAt: new Date(lastEventAt).toISOString() }),
      agentVersions: agents,
      ...(silentSince === undefined ? {} : { silentSince: new Date(silentSince).toISOString() }),
      says: `${words(setup, lastEventAt, io.now())}${silenceWords(silentSince, io.now())}`,
    });
  }
  const answer: HooksStatusJson = { version: 1, folders };
  if (asked.json) io.out(`${JSON.stringify(answer, null, 2)}\n`);
  else for (const { configDir, says } of folders) io.out(`${printable(`${configDir}: ${says}`)}\n`);
  return 0;
}

function words(setup: HookSetup, lastAt: number | undefined, now: number): string {
  const last = lastAt === undefined ? "no event came yet" : `the last event came ${coarseAgo(now - lastAt)}`;
  switch (setup.kind) {
    case "installed":
      return `installed${offWords(setup.isOff)}; ${last}`;
    case "partly":
      return `installed in part, without ${setup.missing.join(", ")}${offWords(setup.isOff)}; ${last}; "rollcall hooks install" puts it right`;
    case "other":
      return `hooks of another version or data folder of Rollcall${offWords(setup.isOff)}; ${last}; "rollcall hooks install" puts it right`;
    case "none":
      return "not installed";
    case "refused":
      return setup.because;
  }
}

/** Since when transcripts went on without an event, where that is longer than hooks may be quiet. */
async function silence(configDir: string, lastEventAt: number | undefined): Promise<number | undefined> {
  const [moved, changed] = await Promise.all([newestTranscript(configDir), settingsChangedAt(configDir)]);
  const since = Math.max(lastEventAt ?? 0, changed ?? 0);
  return moved !== undefined && moved.at - since > silentMs ? since : undefined;
}

function silenceWords(since: number | undefined, now: number): string {
  if (since === undefined) return "";
  return `; they are silent: its sessions went on, and no event came for ${coarseAge(now - since)}; look whether their sandbox sees the spool and whether the agent runs hooks there`;
}

function offWords(isOff: string | undefined): string {
  return isOff === undefined ? "" : `, but the agent runs none, since its settings say ${isOff}`;
}
