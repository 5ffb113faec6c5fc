// Until when a usage limit holds, from the words of the failure: "resets 3pm (Europe/Berlin)", "resets Dec 1 at 5:30am
// (UTC)", or, from older versions, seconds since 1970 behind a bar. Words without a time zone tell nothing, since the
// zone they were written in is not known here.
import type { EpochMs } from "../../base/clock.ts";
import { latestShownMs } from "../../base/limits.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const seconds = /\|\s*(\d{9,11})\b/;
const words =
  /\bresets?\s+(?:at\s+)?(?:([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:,\s*(\d{4}))?(?:,|\s+at)?\s+)?(\d{1,2})(?::(\d{2}))?\s*([ap]m)?\s*\(([A-Za-z0-9_+\-/]{1,64})\)/i;

/** @param at when the failure was written */
export function limitReset(says: string, at: EpochMs): EpochMs | undefined {
  const stamped = seconds.exec(says)?.[1];
  if (stamped !== undefined) return shown(Number(stamped) * 1_000);
  const match = words.exec(says);
  const [, month, day, year, hour, minute, half, zone] = match ?? [];
  if (hour === undefined || zone === undefined) return undefined;
  const clock = hourOf(Number(hour), half?.toLowerCase()) * 60 + Number(minute ?? 0);
  if (clock >= 24 * 60) return undefined;
  const offset = zoneOffset(at, zone);
  if (offset === undefined) return undefined;
  const local = new Date(at + offset);
  if (month === undefined || day === undefined) {
    const today = Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()) + clock * 60_000;
    const next = today > at + offset ? today : today + dayMs;
    return inZone(next, zone);
  }
  const index = months.indexOf(month.toLowerCase());
  if (index < 0) return undefined;
  const thisYear = year === undefined ? local.getUTCFullYear() : Number(year);
  const named = Date.UTC(thisYear, index, Number(day)) + clock * 60_000;
  // In December a limit may reset in January.
  const late = year === undefined && named < at + offset - dayMs;
  return inZone(late ? Date.UTC(thisYear + 1, index, Number(day)) + clock * 60_000 : named, zone);
}

function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  return (hour % 12) + (half === "pm" ? 12 : 0);
}

/** The moment at which clocks of that zone show what a UTC clock shows at `local`. */
function inZone(local: EpochMs, zone: string): EpochMs | undefined {
  const guess = zoneOffset(local, zone);
  const offset = guess === undefined ? undefined : zoneOffset(local - guess, zone);
  return offset === undefined ? undefined : shown(local - offset);
}

/** How far clocks of the zone are ahead of UTC at a moment; undefined for a zone that is not known. */
function zoneOffset(at: EpochMs, zone: string): number | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    // eslint-disable-next-line no-restricted-syntax -- no such zone: the time it names is not known
    return undefined;
  }
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (type: string): number => parts.get(type as Intl.DateTimeFormatPartTypes) ?? 0;
  const wall = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return wall - Math.floor(at / 1_000) * 1_000;
}

function shown(at: EpochMs): EpochMs | undefined {
  return at > 0 && at <= latestShownMs ? at : undefined;
}
