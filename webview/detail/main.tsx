// Entry of the detail page: hears the extension, draws what it says, and keeps what the window's reload would lose.
import "../shared/noEval.ts";
import { render } from "preact";
import type { PageState } from "../../protocol/webviewApi.ts";
import { Host } from "../shared/host.ts";
import { hostClockIs, openGrowsUntil } from "../shared/liveTimes.ts";
import { isOpenBy, toggled, type Choices, type Disclosure } from "./disclosure.ts";
import { Page } from "./page.tsx";
import { emptyPage, hear, type PageModel } from "./pageModel.ts";

const keepScrollAfterMs = 200;

const host = new Host();
const place = document.getElementById("page") ?? document.body;
// What stands there until the script runs.
place.replaceChildren();
let model: PageModel = emptyPage;
let choices: Choices = { opened: [], closed: [] };

const disclosure: Disclosure = {
  isOpen: (id, byDefault) => isOpenBy(choices, id, byDefault),
  toggle: (id, byDefault) => {
    choices = toggled(choices, id, byDefault);
    draw();
    keep();
  },
};

function draw(): void {
  try {
    render(<Page model={model} disclosure={disclosure} run={(name) => host.post({ kind: "command", name })} />, place);
  } catch (error) {
    host.fault(error instanceof Error ? error.message : String(error));
  }
}

function keep(): void {
  if (model.kind !== "shown") return;
  const { key, session } = model.detail;
  const page: PageState = { version: 1, key, title: session.title };
  host.keep(page, { opened: [...choices.opened], closed: [...choices.closed], scroll: window.scrollY });
}

let scrollTimer: number | undefined;
window.addEventListener("scroll", () => {
  window.clearTimeout(scrollTimer);
  scrollTimer = window.setTimeout(keep, keepScrollAfterMs);
});

draw();
for (const use of ["pointerdown", "keydown"] as const)
  window.addEventListener(use, () => host.post({ kind: "used" }), { once: true });

host.begin((message) => {
  hostClockIs(message.now);
  openGrowsUntil(message.link.state === "gone" ? (message.link.heardAt ?? message.link.since) : undefined);
  const isFirst = model.kind !== "shown";
  model = hear(model, message);
  const kept = isFirst && model.kind === "shown" ? host.keptView(model.detail.key) : undefined;
  if (kept !== undefined) choices = kept;
  draw();
  if (kept !== undefined) window.scrollTo(0, kept.scroll);
  keep();
});
