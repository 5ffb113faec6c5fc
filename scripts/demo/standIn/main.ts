// The stand-in for the coding agent, run by an executable named `claude`. Standard input carries its assignment as one
// line and is its lifeline: when it ends, so does the stand-in, in order and with its commands.
import { join } from "node:path";
import type { Assignment } from "../steps.ts";
import { Performer } from "./performer.ts";
import { ownIdentity, PidRecordFile } from "./pidRecord.ts";

let end = (): void => process.exit(0);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => end());

let text = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const before = text.includes("\n");
  text += chunk;
  if (!before && text.includes("\n")) begin(JSON.parse(text.slice(0, text.indexOf("\n"))) as Assignment);
});
process.stdin.on("end", () => end());

function begin(assignment: Assignment): void {
  const configDir = process.env["CLAUDE_CONFIG_DIR"] ?? join(process.env["HOME"] ?? "", ".claude");
  const record = new PidRecordFile(configDir, ownIdentity(assignment));
  const performer = new Performer(assignment, configDir, record);
  end = () => {
    performer.tools.kill();
    record.remove();
    process.exit(0);
  };
  performer.perform().catch((error: unknown) => {
    process.stderr.write(`the stand-in "${assignment.seed}" failed: ${String(error)}\n`);
    end();
  });
}
