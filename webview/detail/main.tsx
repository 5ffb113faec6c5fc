// Entry of the detail page: hears the extension, draws what it says, and keeps what the window's reload would lose.
import "../shared/noEval.ts";
import { render } from "preact";
import type { PageState } from "../../protocol/webviewApi.ts";
import { Host } from "../shared/host.ts";
import { hostClockIs } from "../shared/liveTimes.ts";
import { isOpenBy, toggled, type Choices, type Disclosure } from "./disclosure.ts";
import { Page } from "./page.tsx";
import { emptyPage, hear, type PageModel } from "./pageModel.ts";

const keepScrollAfterMs = 200;

const host = new Host();
const place = document.getElementById("page") ?? document.body;
const kept = host.keptView();
// What stands there until the script runs.
place.replaceChildren();
let model: PageModel = emptyPage;
let choices: Choices = { opened: kept?.opened ?? [], closed: kept?.closed ?? [] };
let scrollTo = kept?.scroll;

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
host.begin((message) => {
  hostClockIs(message.now);
  model = hear(model, message);
  draw();
  if (model.kind !== "shown") return;
  if (scrollTo !== undefined) window.scrollTo(0, scrollTo);
  scrollTo = undefined;
  keep();
});
