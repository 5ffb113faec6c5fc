// `rollcall doctor`: whether the agent and each source answer, and what to do where one does not. It starts
// nothing: an agent that does not run is a finding.
import { accessSync, constants, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { amount } from "../../base/amount.ts";
import { describeError, errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { lockState } from "../../base/node/lock.ts";
import { privateFolderFault } from "../../base/node/privateFolder.ts";
import { configDirs, rollcallPaths } from "../../base/node/paths.ts";
import type { DoctorJson } from "../../protocol/cliJson.ts";
import type { Roster } from "../../protocol/roster.ts";
import { parseArguments } from "../arguments.ts";
import type { Command, CommandIO } from "../command.ts";
import { printable } from "../printable.ts";
import { readRoster } from "../rosterSource.ts";
import { connectIfRunning } from "./agent.ts";

type Finding = Readonly<DoctorJson["findings"][number]>;

export const doctor: Command = {
  name: "doctor",
  summary: "check the agent and every source, and say what to do",
  usage: `rollcall doctor [--json]

  Exit code 1 when a check fails.`,
  async run(args, io) {
    const parsed = parseArguments(args, { flags: { json: "boolean" }, positionals: { least: 0, most: 0 } });
    const findings = [dataFolder(io), socketFolder(io), lock(io), await agent(io), ...(await sources(io))];
    const ok = findings.every((finding) => finding.ok);
    const json: DoctorJson = { version: 1, ok, findings };
    if (parsed.has("json")) io.out(`${JSON.stringify(json, null, 2)}\n`);
    else
      io.out(
        printable(findings)
          .map((finding) => `${finding.ok ? "ok  " : "FAIL"}  ${finding.what}: ${finding.says}\n`)
          .join(""),
      );
    return ok ? 0 : 1;
  },
};

/** One that is not there yet is made when the agent starts; one that is there has to take files. */
function dataFolder(io: CommandIO): Finding {
  const { dataDir } = rollcallPaths(io.env);
  const what = "data folder";
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(dataDir);
    if (bavail * bsize < limits.lastKnownBytes)
      return {
        ok: false,
        what,
        says: `${dataDir} is on a disk that is full; nothing can be kept until some space is freed`,
      };
    return { ok: true, what, says: dataDir };
  } catch (error) {
    if (errorCode(error) === "ENOENT")
      return { ok: true, what, says: `${dataDir} is not there yet; the agent makes it when it starts` };
    return {
      ok: false,
      what,
      says: `${dataDir} cannot be used: ${describeError(error)}; make it writable for this user, or set ROLLCALL_DATA_DIR`,
    };
  }
}

function socketFolder(io: CommandIO): Finding {
  const what = "socket folder";
  const folder = dirname(rollcallPaths(io.env).socket);
  try {
    const fault = process.platform === "win32" ? undefined : privateFolderFault(folder);
    return { ok: fault === undefined, what, says: fault ?? folder };
  } catch (error) {
    if (errorCode(error) === "ENOENT")
      return { ok: true, what, says: `${folder} is not there yet; the agent makes it when it starts` };
    return { ok: false, what, says: `${folder} cannot be looked at: ${describeError(error)}` };
  }
}

function lock(io: CommandIO): Finding {
  const what = "lock";
  const state = lockState(rollcallPaths(io.env).lock);
  switch (state.kind) {
    case "free":
      return { ok: true, what, says: "free" };
    case "held":
      return { ok: true, what, says: `held by process ${state.pid}` };
    case "left-behind":
      return { ok: true, what, says: "left behind by an agent that is gone; the next one takes it" };
  }
}

async function agent(io: CommandIO): Promise<Finding> {
  const what = "agent";
  try {
    const client = await connectIfRunning(io);
    if (client === undefined) return { ok: true, what, says: "not running; the first client starts it" };
    const health = await client.request("agent/health", {});
    client.dispose();
    return {
      ok: true,
      what,
      says: `process ${client.agent.pid}, ${Math.round(health.residentBytes / 2 ** 20)} MB, log ${health.logFile}`,
    };
  } catch (error) {
    return {
      ok: false,
      what,
      says: `${describeError(error)}; read ${rollcallPaths(io.env).logFile}, then end its process and try again`,
    };
  }
}

/** Asked in this process, so that it works when the agent does not. */
async function sources(io: CommandIO): Promise<readonly Finding[]> {
  const roster = await readRoster({ once: true, all: false }, io);
  const folders = configDirs(io.env).length;
  return [
    ...roster.sources.map((source) => ({
      ok: source.state !== "unobserved",
      what: source.id,
      says:
        source.state === "unobserved"
          ? `${source.cause ?? "no answer"}; what is known of it stays, with its age`
          : source.state,
    })),
    { ok: true, what: "sessions", says: `${counted(roster)} in ${amount(folders, "config folder")}` },
    ...roster.skipped.map((skipped) => ({
      ok: true,
      what: "read over",
      says: `${skipped.count} of ${skipped.path ?? skipped.source}: ${skipped.why}`,
    })),
  ];
}

function counted(roster: Roster): string {
  const live = roster.sessions.filter((session) => session.liveness.kind === "live").length;
  return `${live} live, ${roster.sessions.length} known`;
}
