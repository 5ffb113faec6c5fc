// From a line written into a transcript, and from a changed session record, to the roster that a client is pushed; less
// what a bare watcher takes in the same run, turn by turn.
import type { StandIn } from "../support/rollcall/standIn.ts";
import type { Bench } from "./benchWorld.ts";
import { BareWatcher } from "./bareWatcher.ts";
import { against, quantile, type Figure } from "./figures.ts";

const limitMs = 150;
const samples = 100;
const deadlineMs = 10_000;

export async function writtenLine(bench: Bench): Promise<readonly Figure[]> {
  const peer = new BareWatcher();
  await peer.start();
  try {
    return await measure(bench, peer);
  } finally {
    peer.close();
  }
}

async function measure(bench: Bench, peer: BareWatcher): Promise<readonly Figure[]> {
  const bare: number[] = [];
  const lines = await sample(bench, async (session, on) => {
    bare.push(await peer.sample());
    const id = `toolu_bench_${session.id}`;
    const content = on
      ? [{ type: "tool_use", id, name: "Bash", input: {} }]
      : [{ type: "tool_result", tool_use_id: id, content: "" }];
    bench.corpus.append(session, { type: on ? "assistant" : "user", message: { content } });
    return bench.follower.waitFor(
      "the line",
      (roster) => rowOf(roster, session)?.openTurns.length === (on ? 1 : 0),
      deadlineMs,
    );
  });
  const records = await sample(bench, async (session, on) => {
    bare.push(await peer.sample());
    session.says({ status: on ? "waiting" : "idle", ...(on ? { waitingFor: "permission prompt" } : {}) });
    return bench.follower.waitFor(
      "the record",
      (roster) => (rowOf(roster, session)?.status.why === "permission") === on,
      deadlineMs,
    );
  });
  const figure = (what: string, found: readonly number[], name: string, q: number): Figure => {
    const machine = quantile(bare, q);
    const note = `beside ${machine.toFixed(1)} ms of a bare watcher`;
    return against(`${what} to the roster, ${name}`, Math.max(0, quantile(found, q) - machine), limitMs, "ms", note);
  };
  return [
    figure("transcript line", lines, "p50", 0.5),
    figure("transcript line", lines, "p95", 0.95),
    figure("session record", records, "p50", 0.5),
    figure("session record", records, "p95", 0.95),
  ];
}

type Roster = Bench["follower"]["roster"];

/** Each session is changed and changed back. */
async function sample(
  { corpus }: Bench,
  change: (session: StandIn, on: boolean) => Promise<number>,
): Promise<readonly number[]> {
  const found: number[] = [];
  for (let index = 0; index < samples; index += 1) {
    const session = corpus.live[(index >> 1) % corpus.live.length];
    if (session !== undefined) found.push(await change(session, index % 2 === 0));
  }
  return found;
}

function rowOf(roster: Roster, session: StandIn): Roster["sessions"][number] | undefined {
  return roster.sessions.find((row) => row.id === session.id);
}
