// Times on the page: each with its whole timestamp as title, its text kept true in place.
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { coarseAgo } from "../../base/coarseAge.ts";
import { keepText, openNow, type TimeText } from "./liveTimes.ts";
import { clockTime, durationWords, fullTime } from "./timeWords.ts";

interface LiveProps {
  readonly at: string;
  readonly text: TimeText;
  /** What the text depends on, beside the clock. */
  readonly on: string;
}

/** How long ago. */
export function Ago({ at }: { readonly at: string }): VNode {
  const began = Date.parse(at);
  return <LiveTime at={at} on={at} text={(now) => coarseAgo(now - began)} />;
}

/** The time of day. */
export function Clock({ at }: { readonly at: string }): VNode {
  return <LiveTime at={at} on={at} text={(now) => clockTime(at, now)} />;
}

/** How long something took; without an end it grows. */
export function Duration({ since, until }: { readonly since: string; readonly until: string | undefined }): VNode {
  const began = Date.parse(since);
  const ended = until === undefined ? undefined : Date.parse(until);
  return (
    <LiveTime
      at={since}
      on={`${since}/${until ?? ""}`}
      text={(now) => durationWords((ended ?? openNow(now)) - began)}
    />
  );
}

function LiveTime({ at, text, on }: LiveProps): VNode {
  const element = useRef<HTMLTimeElement>(null);
  useLayoutEffect(() => (element.current === null ? undefined : keepText(element.current, text)), [on]);
  return <time ref={element} dateTime={at} title={fullTime(at)} />;
}
