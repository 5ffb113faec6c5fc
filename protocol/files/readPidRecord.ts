// A session record as `pidRecord.ts` describes it, read by hand.
import { safeIdPattern } from "../ids.ts";
import type { PidRecord } from "./pidRecord.ts";
import { flagOf, integerOf, momentOf, positiveIntegerOf, textOf, toldOf, withoutUntold } from "./tolerant.ts";

const textChars = 4096;

/** Undefined for what has not the shape of one. */
export function readPidRecord(value: unknown): PidRecord | undefined {
  const told = toldOf(value);
  if (told === undefined) return undefined;
  const text = (key: string): string | undefined => textOf(told[key], textChars);
  const ms = (key: string): number | undefined => momentOf(told[key]);
  const pid = positiveIntegerOf(told["pid"]);
  const sessionId = told["sessionId"];
  if (pid === undefined || typeof sessionId !== "string" || !safeIdPattern.test(sessionId)) return undefined;
  return withoutUntold({
    pid,
    sessionId,
    cwd: text("cwd"),
    startedAt: ms("startedAt"),
    procStart: procStartOf(told["procStart"]),
    version: text("version"),
    kind: text("kind"),
    entrypoint: text("entrypoint"),
    pidDomain: text("pidDomain"),
    name: text("name"),
    nameSource: text("nameSource"),
    status: text("status"),
    waitingFor: text("waitingFor"),
    updatedAt: ms("updatedAt"),
    statusUpdatedAt: ms("statusUpdatedAt"),
    spare: flagOf(told["spare"]),
  });
}

const times = ["startedAt", "updatedAt", "statusUpdatedAt"];

/** The times that it tells and that can be none. */
export function oddTimesOf(value: unknown): readonly string[] {
  const told = toldOf(value) ?? {};
  return times.filter((key) => (told[key] ?? null) !== null && momentOf(told[key]) === undefined);
}

function procStartOf(value: unknown): string | undefined {
  if (typeof value !== "string") return integerOf(value)?.toString();
  const start = value.trim();
  return start === "" || start.length > 100 ? undefined : start;
}
