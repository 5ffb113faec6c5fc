// The acts of `rollcall registry`, in the order in which help lists them.
import type { RegistryAct } from "./act.ts";
import { diff } from "./diff.ts";
import { history } from "./history.ts";
import { cancelIntent, intents } from "./intents.ts";
import { depart, forget } from "./leave.ts";
import { put } from "./put.ts";
import { replace } from "./replace.ts";
import { restore } from "./restore.ts";
import { show } from "./show.ts";
import { verify } from "./verify.ts";

export const registryActs: readonly RegistryAct[] = [
  show,
  verify,
  put,
  replace,
  forget,
  depart,
  history,
  diff,
  restore,
  intents,
  cancelIntent,
];
