// `npm start -- --demo`: the demo's world, an editor on it, and the story in the terminal, until Ctrl-C or until whoever
// started it is gone.
import { join } from "node:path";
import type { Roster } from "../../protocol/roster.ts";
import { openEditor } from "../workbench/openEditor.ts";
import { DemoWorld } from "./demoWorld.ts";
import { nothingTold, tell } from "./narration.ts";
import { RosterFeed } from "./rosterFeed.ts";
import { demoScreen } from "./screen.ts";

const tickMs = 500;

export async function runDemo({ editor }: { readonly editor: boolean }): Promise<void> {
  const ended = untilToldToEnd();
  const world = new DemoWorld({ pace: 1 });
  const screen = demoScreen();
  screen.note("Rollcall, a demo: made-up sessions in real processes. Nothing of yours is read or written.");
  screen.note("Ctrl+C ends it and removes everything it made.");
  if (world.sandboxTool.kind === "none") screen.note(`The two sandboxes are left out: ${world.sandboxTool.because}.`);
  let roster: Roster | undefined;
  let told = nothingTold;
  const timer = setInterval(() => {
    if (roster === undefined) return;
    const next = tell(told, roster, world.moment());
    told = next.told;
    for (const line of next.lines) screen.say(line);
  }, tickMs);
  const feed = new RosterFeed({
    folder: world.folder,
    env: world.env,
    onRoster: (next) => {
      roster = next;
      screen.show(next);
    },
    onTrouble: (why) => screen.say(`The roster is silent: ${why}`),
  });
  if (editor) screen.say("Open Rollcall's icon in the editor's activity bar. Its rows are the sessions you see here.");
  try {
    const opened = editor
      ? await Promise.race([
          openEditor({
            env: world.env,
            userDataDir: join(world.folder.root, "editor"),
            ownProfile: true,
            settings: { "workbench.startupEditor": "readme" },
            folder: world.folder.workspace,
            say: (line) => screen.note(line),
          }),
          ended,
        ])
      : undefined;
    await ended;
    await opened?.dispose();
  } finally {
    clearInterval(timer);
    await feed.stop();
    screen.close();
    process.stdout.write("\nThe demo ends and tidies up ...\n");
    await world.close();
    process.stdout.write("Everything it made is removed.\n");
  }
}

/** A signal, or a parent that is gone. */
function untilToldToEnd(): Promise<undefined> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid !== parent) end();
    }, 1_000);
    const end = (): void => {
      clearInterval(timer);
      resolve(undefined);
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  });
}
