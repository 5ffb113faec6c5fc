// Runs a script in a container through the Engine API: created, begun and read to its end within a deadline, without a
// terminal and without input. What does not end by then is left to end by itself, since nothing in a container is killed
// from here; until it has, no further one is begun there, so that they cannot pile up.
import { limits } from "../../../base/limits.ts";
import { askSocket, socketWords, type SocketAnswer } from "../../../base/node/unixHttp.ts";
import { readEngineStream } from "../../core/engineStream.ts";
import type { ProbeQuestion, ProbeReply } from "./adapter.ts";

export class EngineExec {
  private readonly socket: string;
  /** By container: what was begun there and had not ended when it was given up. */
  private readonly left = new Map<string, string>();

  constructor(socket: string) {
    this.socket = socket;
  }

  async run(container: string, { script, nonce, deadlineMs, answerLimitBytes }: ProbeQuestion): Promise<ProbeReply> {
    const earlier = this.left.get(container);
    if (earlier !== undefined && (await this.isRunning(earlier)))
      return { kind: "refused", why: "no-answer", says: "an earlier probe has not ended inside" };
    this.left.delete(container);
    const created = await this.ask("POST", `/containers/${container}/exec`, {
      AttachStdin: false,
      AttachStdout: true,
      AttachStderr: true,
      Tty: false,
      Cmd: ["/bin/sh", "-c", script, "rollcall", nonce],
    });
    const id = created.kind === "answered" && created.status === 201 ? idOf(created.body) : undefined;
    if (id === undefined) return failed(created);
    this.left.set(container, id);
    const answer = await askSocket({
      socket: this.socket,
      method: "POST",
      path: `/exec/${id}/start`,
      body: { Detach: false, Tty: false },
      deadlineMs,
      answerLimitBytes,
    });
    if (answer.kind === "timed-out")
      return { kind: "refused", why: "no-answer", says: `no answer from inside within ${deadlineMs} ms` };
    if (answer.kind === "too-large")
      return { kind: "refused", why: "too-large", says: `more than ${answerLimitBytes} bytes from inside` };
    this.left.delete(container);
    if (answer.kind !== "answered" || answer.status !== 200) return failed(answer);
    const stream = readEngineStream(answer.body);
    if (stream.kind === "broken") return { kind: "refused", why: "half", says: stream.says };
    return { kind: "answered", text: Buffer.concat(stream.output).toString("latin1") };
  }

  /** Only what the engine says to have ended has: what it cannot tell of may run. */
  private async isRunning(id: string): Promise<boolean> {
    const answer = await this.ask("GET", `/exec/${id}/json`);
    if (answer.kind !== "answered") return true;
    if (answer.status === 404) return false;
    return answer.status !== 200 || !/"Running":\s*false/.test(answer.body.toString("utf8"));
  }

  private ask(method: "GET" | "POST", path: string, body?: unknown): Promise<SocketAnswer> {
    return askSocket({
      socket: this.socket,
      method,
      path,
      ...(body === undefined ? {} : { body }),
      deadlineMs: limits.engineDeadlineMs,
      answerLimitBytes: limits.engineAnswerBytes,
    });
  }
}

function failed(answer: SocketAnswer): ProbeReply {
  const says = answer.kind === "answered" ? `the engine refuses it with ${answer.status}` : socketWords(answer);
  return { kind: "refused", why: answer.kind === "timed-out" ? "no-answer" : "failed", says };
}

function idOf(body: Buffer): string | undefined {
  return /"Id":\s*"([0-9a-f]{64})"/.exec(body.toString("utf8"))?.[1];
}
