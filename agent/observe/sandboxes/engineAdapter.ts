// Containers of Docker and Podman, asked through the Engine API on a unix socket. The list tells which there are and
// what they do; of each one that runs one further answer tells its first process, by which the kernel proves its pid
// namespace. One that left the list is gone only when the engine says so of that very container.
import { readFileSync, readlinkSync } from "node:fs";
import { errorCode } from "../../../base/errors.ts";
import { limits, periods } from "../../../base/limits.ts";
import { askSocket, followSocket, socketWords, type SocketAnswer } from "../../../base/node/unixHttp.ts";
import { absent, observed, unobserved, type Observation } from "../../../protocol/observation.ts";
import {
  readContainer,
  readContainers,
  sandboxOfContainer,
  type ContainerDetail,
  type EngineContainer,
} from "../../core/engineContainers.ts";
import type { ListedSandbox, SandboxListing } from "../../core/sandboxListing.ts";
import { inParallel } from "../inParallel.ts";
import { containersIn } from "../procContainers.ts";
import type { ProbeQuestion, ProbeReply, SandboxAdapter } from "./adapter.ts";
import type { EngineEnd } from "./engineEnds.ts";
import { EngineExec } from "./engineExec.ts";
import { wouldStartTheEngine } from "./socketActivation.ts";

export interface EngineAdapterOptions {
  readonly end: EngineEnd;
  readonly now: () => number;
  /** Ours, which no container counts as its own. */
  readonly hostNamespace: string | undefined;
  readonly wouldStart?: (socket: string) => boolean;
}

/** What was asked of one container, for as long as its first process is the same. */
interface Asked {
  readonly detail: ContainerDetail;
  readonly namespace: string | undefined;
}

export class EngineAdapter implements SandboxAdapter {
  readonly kind: EngineEnd["kind"];
  readonly source: EngineEnd["source"];
  readonly periodMs: number;
  readonly deadlineMs = limits.engineListDeadlineMs;
  private readonly options: EngineAdapterOptions;
  private readonly asked = new Map<string, Asked>();
  private readonly programs: EngineExec;
  private listed: ReadonlyMap<string, ListedSandbox> = new Map();

  constructor(options: EngineAdapterOptions) {
    this.options = options;
    this.programs = new EngineExec(options.end.socket);
    this.kind = options.end.kind;
    this.source = options.end.source;
    this.periodMs = periods.sandboxListMs[options.end.kind];
  }

  async list(): Promise<Observation<SandboxListing>> {
    const at = this.options.now();
    const failed = (cause: string): Observation<SandboxListing> => unobserved(this.source, at, cause);
    const { socket } = this.options.end;
    if ((this.options.wouldStart ?? wouldStartTheEngine)(socket))
      return failed(
        `${this.kind} does not run, and to ask ${socket} would start it; start it yourself to see its containers`,
      );
    const answer = await this.ask("/containers/json?all=1");
    if (answer.kind === "not-connected" && answer.code === "ENOENT") return absent(this.source, at);
    const body = bodyOf(answer);
    if (typeof body === "string") return failed(this.advice(answer, body));
    const read = readContainers(body.json, limits.sandboxesPerAdapter);
    if (read.kind === "not-understood") return failed(`${socket}: ${read.cause}`);
    const sandboxes = await this.withDetails(read.containers);
    const lost = await this.lost(new Set(sandboxes.map(({ identity }) => identity)));
    if (typeof lost === "string") return failed(lost);
    this.listed = new Map([...sandboxes, ...lost].map((sandbox) => [sandbox.identity, sandbox]));
    return observed(this.source, at, { sandboxes: [...this.listed.values()], skipped: read.skipped });
  }

  async probe({ identity, run }: ListedSandbox, question: ProbeQuestion): Promise<ProbeReply> {
    const now = bodyOf(await this.ask(`/containers/${identity}/json`));
    const detail = typeof now === "string" ? undefined : readContainer(now.json);
    if (detail?.id !== identity)
      return { kind: "refused", why: "failed", says: typeof now === "string" ? now : "it is another container" };
    if (detail.state !== "running" || (run !== undefined && detail.run !== run)) return { kind: "not-asked" };
    return this.programs.run(identity, question);
  }

  follow(onChange: () => void, onEnd: () => void): () => void {
    return followSocket({
      socket: this.options.end.socket,
      path: `/events?filters=${encodeURIComponent('{"type":["container"]}')}`,
      lineLimitBytes: limits.engineEventBytes,
      onLine: (line) => {
        if (!isOfAProgramInside(line)) onChange();
      },
      onEnd,
    });
  }

  dispose(): void {
    this.asked.clear();
  }

  private ask(path: string): Promise<SocketAnswer> {
    return askSocket({
      socket: this.options.end.socket,
      method: "GET",
      path,
      deadlineMs: limits.engineDeadlineMs,
      answerLimitBytes: limits.engineAnswerBytes,
    });
  }

  private async withDetails(containers: readonly EngineContainer[]): Promise<readonly ListedSandbox[]> {
    const sandboxes = containers.map((container) => sandboxOfContainer(this.kind, container));
    for (const id of this.asked.keys())
      if (!containers.some((container) => container.id === id && hasProcesses(container))) this.asked.delete(id);
    await inParallel(containers, limits.engineCallsAtOnce, async (container, index) => {
      if (!hasProcesses(container)) return;
      const asked = await this.detailOf(container.id);
      const sandbox = sandboxes[index];
      if (asked === undefined || sandbox === undefined) return;
      sandboxes[index] = {
        ...sandbox,
        ...(asked.detail.run === undefined ? {} : { run: asked.detail.run }),
        ...(asked.namespace === undefined ? {} : { namespace: asked.namespace }),
      };
    });
    return sandboxes;
  }

  /** Undefined where the engine does not tell now: the container is listed without it. */
  private async detailOf(id: string): Promise<Asked | undefined> {
    const known = this.asked.get(id);
    if (known?.detail.pid !== undefined && known.namespace !== undefined) {
      if (namespaceOfContainer(known.detail.pid, id) === known.namespace) return known;
    }
    const body = bodyOf(await this.ask(`/containers/${id}/json`));
    const detail = typeof body === "string" ? undefined : readContainer(body.json);
    if (detail?.id !== id) return undefined;
    const namespace = detail.pid === undefined ? undefined : namespaceOfContainer(detail.pid, id);
    const asked = { detail, namespace: namespace === this.options.hostNamespace ? undefined : namespace };
    this.asked.set(id, asked);
    return asked;
  }

  /** Containers that were listed before and are not now, though the engine still has them; or why that is not sure. */
  private async lost(there: ReadonlySet<string>): Promise<readonly ListedSandbox[] | string> {
    const missing = [...this.listed.values()].filter(({ identity }) => !there.has(identity));
    const kept: ListedSandbox[] = [];
    let fault: string | undefined;
    await inParallel(missing, limits.engineCallsAtOnce, async (sandbox) => {
      const answer = await this.ask(`/containers/${sandbox.identity}/json`);
      if (answer.kind === "answered" && answer.status === 404) return;
      const body = bodyOf(answer);
      const detail = typeof body === "string" ? undefined : readContainer(body.json);
      if (detail?.id === sandbox.identity) kept.push({ ...sandbox, state: detail.state });
      else fault ??= `${sandbox.name} is not listed any more, and the engine does not say that it is gone`;
    });
    return fault ?? kept;
  }

  private advice(answer: SocketAnswer, says: string): string {
    const { socket } = this.options.end;
    const leaveOut = `or leave ${this.kind} out in ROLLCALL_SANDBOX_ADAPTERS`;
    if (answer.kind !== "not-connected") return `${socket}: ${says}`;
    if (answer.code === "EACCES" || answer.code === "EPERM")
      return `${socket} may not be asked by this user; become a member of its group, ${leaveOut}`;
    if (answer.code === "ECONNREFUSED") return `nobody answers on ${socket}; start ${this.kind}, ${leaveOut}`;
    return `${socket}: ${says}`;
  }
}

/** A program that is run in a container changes nothing of it; a probe is one. */
function isOfAProgramInside(event: string): boolean {
  return /"(?:status|Action)":"(?:exec_|health_status|top|attach|resize)/.test(event);
}

function hasProcesses({ state }: EngineContainer): boolean {
  return state === "running" || state === "paused";
}

/** What was answered as JSON, else why that is no answer. */
function bodyOf(answer: SocketAnswer): { readonly json: unknown } | string {
  if (answer.kind !== "answered") return socketWords(answer);
  if (answer.status !== 200) return `the engine answers ${answer.status}`;
  try {
    return { json: JSON.parse(answer.body.toString("utf8")) as unknown };
  } catch {
    return "the engine's answer is not JSON";
  }
}

/**
 * The pid namespace of a container's first process, proven by its control group: the number may be another machine's,
 * such as that of a virtual one, and mean another process here. Undefined where that is not proven.
 */
function namespaceOfContainer(pid: number, id: string): string | undefined {
  try {
    if (containersIn(readFileSync(`/proc/${pid}/cgroup`, "latin1"))?.includes(id) !== true) return undefined;
    return /^pid:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/ns/pid`))?.[1];
  } catch (error) {
    const code = errorCode(error);
    // eslint-disable-next-line no-restricted-syntax -- undefined means not proven, see above
    if (code !== undefined) return undefined;
    throw error;
  }
}
