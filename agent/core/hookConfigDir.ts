// The config folder of a session as its hooks tell it, which is as its sandbox names it.
import type { HookFacts } from "./hookFacts.ts";

export function toldConfigDir({ transcript }: Pick<HookFacts, "transcript">): string | undefined {
  return transcript === undefined
    ? undefined
    : /^(.+)[\\/]projects[\\/][^\\/]+[\\/][^\\/]+\.jsonl$/.exec(transcript.value)?.[1];
}
