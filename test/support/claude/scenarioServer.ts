// Lets a suite inside VS Code play the scenario: the real agent runs in this process, the suite asks for one
// step after the other over a socket, a line of JSON each way.
import { createServer, type Server } from "node:net";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { describeError } from "../../../base/errors.ts";
import { scenario, type Stage } from "./scenario.ts";

export interface StepAnswer {
  readonly ok: boolean;
  readonly error?: string;
  readonly sessionId?: string;
  readonly pid?: number;
}

export interface ScenarioServer {
  readonly path: string;
  close(): Promise<void>;
}

export async function serveScenario(stage: Stage, path: string): Promise<ScenarioServer> {
  const server: Server = createServer((socket) => {
    createInterface({ input: socket }).on("line", (name) => {
      void play(stage, name).then((answer) => socket.write(`${JSON.stringify(answer)}\n`));
    });
    socket.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  return {
    path,
    close: async () => {
      await new Promise<void>((resolve) => server.close(() => resolve()));
      rmSync(path, { force: true });
    },
  };
}

async function play(stage: Stage, name: string): Promise<StepAnswer> {
  const step = scenario.find((each) => each.name === name);
  if (step === undefined) return { ok: false, error: `there is no step ${name}` };
  try {
    await step.act(stage);
    return { ok: true, sessionId: stage.session.sessionId(), pid: stage.session.pid };
  } catch (error) {
    return { ok: false, error: describeError(error) };
  }
}
