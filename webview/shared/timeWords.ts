// Times and durations as a page says them.

/** "< 1 s", "42 s", "3 min 20 s", "2 h 5 min", "4 d 3 h": two parts at most. A negative one, of another clock, is none. */
export function durationWords(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 1) return "< 1 s";
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return parts(minutes, "min", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return parts(hours, "h", minutes % 60, "min");
  return parts(Math.floor(hours / 24), "d", hours % 24, "h");
}

function parts(one: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${one} ${unit}` : `${one} ${unit} ${rest} ${restUnit}`;
}

/** The whole date, to the second, in the reader's own zone. */
export function fullTime(at: string): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "full", timeStyle: "medium" });
}

/** The time of day; with the date where it is another day than `now`. */
export function clockTime(at: string, now: number): string {
  const date = new Date(at);
  const sameDay = date.toDateString() === new Date(now).toDateString();
  return date.toLocaleString(undefined, {
    ...(sameDay ? {} : { day: "numeric", month: "short" }),
    hour: "2-digit",
    minute: "2-digit",
  });
}
