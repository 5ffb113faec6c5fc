// Takes a session out of the registry for good. It needs the agent, which alone writes that file.
import type { CommandHandler } from "../contributions/commands.ts";
import { actOnRecorded, type RecordedAct, type RecordedActOptions } from "./recordedAct.ts";

const act: RecordedAct = {
  title: "Forget Recorded Session",
  verb: "Forget",
  done: "Forgotten",
  refusal: ({ title, registry }) =>
    registry.recorded ? undefined : `"${title}" is not recorded in the registry, so there is nothing to forget.`,
  consequence: ({ liveness }) =>
    liveness.kind === "live"
      ? "The registry loses its entry. The row stays for as long as the session is seen."
      : "The registry loses its entry, and the session cannot be restored from it. Its transcript stays.",
};

export function forget(options: RecordedActOptions): CommandHandler {
  return (node) => actOnRecorded(node, act, options);
}
