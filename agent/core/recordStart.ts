// How a session record tells its process' start, made comparable with what a process table tells on this host. Where the
// kernel answers both are the same ticks, and nothing is converted. On macOS the record holds the text of `ps`, on Windows
// a count of 100 ns that is beyond what a number holds; tables tell seconds. A text that is neither stays what it is, and
// compares with nothing.
import type { HostFacts } from "./monitor.ts";
import type { ProcessFacts } from "./processes.ts";

/** What stands for the start of a process whose table tells none. */
export const unknownStart = "unknown";

export function startOfRecord({ kernelAnswers }: Pick<HostFacts, "kernelAnswers">, procStart: string): string {
  if (kernelAnswers) return procStart;
  return secondsOfPs(procStart) ?? secondsOfWindows(procStart) ?? procStart;
}

/** Whether a record's start is that of a process; where no table tells starts, nobody can say. */
export function compareStarts(
  host: Pick<HostFacts, "kernelAnswers">,
  procStart: string,
  { startToken }: Pick<ProcessFacts, "startToken">,
): "same" | "another" | "cannot-tell" {
  const start = startOfRecord(host, procStart);
  if (start === startToken) return "same";
  return startToken === unknownStart || !/^\d+$/.test(start) ? "cannot-tell" : "another";
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** `Mon Nov 30 17:00:00 2026`, or with its day before its month, in this host's local time. */
function secondsOfPs(text: string): string | undefined {
  const parts = /^\w{3} +(\w{1,3}) +(\w{1,3}) +(\d\d):(\d\d):(\d\d) +(\d{4})$/.exec(text);
  if (parts === null) return undefined;
  const [, first = "", second = "", ...numbers] = parts;
  const [hours = 0, minutes = 0, seconds = 0, year = 0] = numbers.map(Number);
  const [name, day] = /^\d+$/.test(first) ? [second, first] : [first, second];
  const month = months.indexOf(name.toLowerCase());
  if (month < 0 || !/^\d+$/.test(day)) return undefined;
  return String(new Date(year, month, Number(day), hours, minutes, seconds).getTime() / 1_000);
}

const windowsEpochSeconds = 11_644_473_600n;
const dotNetEpochSeconds = 62_135_596_800n;
const perSecond = 10_000_000n;

/** Counted from 1601 as the system does, or from the year 1 as .NET does; which one its size tells. */
function secondsOfWindows(text: string): string | undefined {
  if (!/^\d{17,18}$/.test(text)) return undefined;
  const sinceItsEpoch = BigInt(text) / perSecond;
  const seconds = sinceItsEpoch - (sinceItsEpoch > dotNetEpochSeconds ? dotNetEpochSeconds : windowsEpochSeconds);
  return seconds > 0n ? String(seconds) : undefined;
}
