// The README that the demo's workspace opens with: what to look at, for someone who never saw Rollcall.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const text = `# Rollcall, a demo

Everything here is made up, runs in real processes, and is gone when you end the demo (Ctrl+C in the terminal).
Nothing of your own sessions is read or written.

1. Open **Rollcall** in the activity bar. Its badge counts the sessions that need you.
2. The rows on top want something: a permission, an answer, a word on a plan.
3. Open a row: below it stand its running tools, its subagents and its background work.
4. Hover over a row, or click it: it says what it rests on, and how old that is.
5. One session is killed while it works. Its row says *ended: killed*, and its tool call is *abandoned*, not open.
6. The file that records the sandboxes' sessions is cut in half for a while. No row goes away: what cannot be read is
   shown as last known, with its age.

The terminal tells you each of these as it happens.
`;

export function writeWelcome(workspace: string): void {
  writeFileSync(join(workspace, "README.md"), text);
}
