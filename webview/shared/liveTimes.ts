// Times that grow while one looks: one timer writes the texts of all of them in place, so that nothing else on the page
// is drawn again and the focus stays where it is.

export type TimeText = (now: number) => string;

const everyMs = 1_000;
const texts = new Map<Element, TimeText>();
let offsetMs = 0;
let openUntil = Number.POSITIVE_INFINITY;
let timer: number | undefined;

/** The host's clock: the page may be drawn on another machine. */
export function hostClockIs(now: number): void {
  offsetMs = now - Date.now();
}

export function hostNow(): number {
  return Date.now() + offsetMs;
}

/** What is open grows no further than to where it was heard last: nobody knows whether it still is. */
export function openGrowsUntil(heardAt: number | undefined): void {
  openUntil = heardAt ?? Number.POSITIVE_INFINITY;
}

export function openNow(now: number): number {
  return Math.min(now, openUntil);
}

/** Keeps the element's text true until the returned function is called. */
export function keepText(element: Element, text: TimeText): () => void {
  texts.set(element, text);
  write(element, text, hostNow());
  timer ??= window.setInterval(writeAll, everyMs);
  return () => {
    texts.delete(element);
    if (texts.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

function writeAll(): void {
  if (document.hidden) return;
  const now = hostNow();
  for (const [element, text] of texts) write(element, text, now);
}

function write(element: Element, text: TimeText, now: number): void {
  const words = text(now);
  if (element.textContent !== words) element.textContent = words;
}
