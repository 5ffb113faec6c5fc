// Marks a recorded session as departed: it is over, and its entry stays. It needs the agent, which alone writes the
// registry.
import type { CommandHandler } from "../contributions/commands.ts";
import { actOnRecorded, type RecordedAct, type RecordedActOptions } from "./recordedAct.ts";

const act: RecordedAct = {
  title: "Mark as Departed",
  verb: "Mark as Departed",
  done: "Marked as departed",
  refusal: ({ title, registry }) => {
    if (!registry.recorded) return `"${title}" is not recorded in the registry, so it cannot be marked there.`;
    return registry.departedAt === undefined ? undefined : `"${title}" is marked as departed already.`;
  },
  consequence: ({ liveness }) =>
    liveness.kind === "live"
      ? "Its entry in the registry stays, marked as over. The session is live: its next start lifts the mark."
      : "Its entry in the registry stays, marked as over. A new start lifts the mark.",
};

export function markDeparted(options: RecordedActOptions): CommandHandler {
  return (node) => actOnRecorded(node, act, options);
}
