// Whether what came back from inside a sandbox proves anything: it must be the answer to this very question, whole and
// once, in the format that was asked for, from the sandbox that was asked and not from this host. Everything else is
// refused with its reason and changes nothing of what is known. What an answer says is `probeAnswer.ts`.
import { probeFormat, readProbeAnswer, type ProbeAnswer } from "./probeAnswer.ts";

/** What tells this host from what was asked; undefined where it could not be told. */
export interface OwnKernel {
  readonly namespace: string | undefined;
  readonly bootId: string | undefined;
}

export interface ProbeExpectation {
  /** Sent with the question, and used for no other. */
  readonly nonce: string;
  /** The sandbox that was asked: its exact identity. */
  readonly identity: string;
  /** Its pid namespace by this host's kernel; undefined where that is not proven. */
  readonly namespace: string | undefined;
  readonly host: OwnKernel;
}

export type Refusal =
  | "no-answer"
  | "too-large"
  | "failed"
  | "not-an-answer"
  | "half"
  | "old-format"
  | "twice"
  | "stale-nonce"
  | "host-namespace"
  | "another-sandbox"
  | "unproven";

export type ProbeVerdict =
  | { readonly kind: "proven"; readonly answer: ProbeAnswer }
  | { readonly kind: "refused"; readonly why: Refusal; readonly says: string };

export function judgeProbe(text: string, expected: ProbeExpectation): ProbeVerdict {
  const lines = text.split("\n");
  const begins = lines.flatMap((line, index) => (line.startsWith(`${beginWord} `) ? [index] : []));
  const begin = begins[0];
  if (begin === undefined) return refused("not-an-answer", "what came back is no answer to a probe");
  const [, format, nonce] = lines[begin]?.split(" ") ?? [];
  if (format !== String(probeFormat))
    return refused("old-format", `the answer has format ${short(format)}, not ${probeFormat}`);
  if (begins.length > 1) return refused("twice", "the answer came twice");
  if (nonce !== expected.nonce) return refused("stale-nonce", "the answer is to another question");
  const ends = lines.flatMap((line, index) => (line.startsWith(`${endWord} `) ? [index] : []));
  const end = ends[0];
  if (end === undefined) return refused("half", "the answer broke off");
  if (ends.length > 1 || lines.slice(end + 1).some((line) => line !== ""))
    return refused("twice", "the answer goes on after its end");
  if (lines[end] !== `${endWord} ${expected.nonce}`)
    return refused("stale-nonce", "the answer's end is that of another one");
  // What a shell says before the script runs is none of the answer.
  return proven(readProbeAnswer(lines.slice(begin + 1, end)), expected);
}

export const beginWord = "rollcall-probe";
export const endWord = "rollcall-end";

function proven(answer: ProbeAnswer, { identity, namespace, host }: ProbeExpectation): ProbeVerdict {
  if (answer.namespace === undefined) return refused("unproven", "the answer does not tell its pid namespace");
  // Another kernel counts its namespaces from the same number on.
  const otherKernel = host.bootId !== undefined && answer.bootId !== undefined && answer.bootId !== host.bootId;
  if (!otherKernel && answer.namespace === host.namespace)
    return refused("host-namespace", "the answer is from this host's own pid namespace");
  if (namespace !== undefined && (otherKernel || answer.namespace !== namespace))
    return refused("another-sandbox", `the answer is from pid namespace ${answer.namespace}, not ${namespace}`);
  if (answer.containers.length > 0 && !answer.containers.includes(identity))
    return refused("another-sandbox", `the answer is from container ${short(answer.containers[0])}`);
  if (namespace === undefined && answer.containers.length === 0)
    return refused("unproven", "the answer does not tell which sandbox it is from");
  return { kind: "proven", answer };
}

export function refused(why: Refusal, says: string): Extract<ProbeVerdict, { kind: "refused" }> {
  return { kind: "refused", why, says };
}

function short(text: string | undefined): string {
  return JSON.stringify((text ?? "").slice(0, 12));
}
