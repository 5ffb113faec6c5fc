// Which adapters of sandboxes are on, as the environment says: all of them unless it names some. A name that none has
// is an error, never a default: who mistypes one would otherwise look in vain for what it shows.
import { rollcallError, type RollcallError } from "../errors.ts";
import type { Environment } from "./paths.ts";

export const adapterKinds = ["docker", "podman", "sbx", "namespaces"] as const;
export type AdapterKind = (typeof adapterKinds)[number];

export type SandboxAdaptersError = RollcallError<"unknown-adapter">;

/** @throws SandboxAdaptersError */
export function sandboxAdapters(env: Environment): ReadonlySet<AdapterKind> {
  const named = env["ROLLCALL_SANDBOX_ADAPTERS"];
  if (named === undefined) return new Set(adapterKinds);
  const words = named.split(",").map((word) => word.trim());
  const wanted = words.filter((word) => word !== "" && word !== "none");
  for (const word of wanted)
    if (!isKind(word))
      throw rollcallError(
        "unknown-adapter",
        `ROLLCALL_SANDBOX_ADAPTERS names ${JSON.stringify(word)}, which is no adapter; name some of ${adapterKinds.join(", ")}, or none`,
      );
  return new Set(wanted.filter(isKind));
}

/** Whether what runs is asked from inside; unless the environment says no, it is. */
export function probesSandboxes(env: Environment): boolean {
  return !["0", "no", "off", "false"].includes((env["ROLLCALL_SANDBOX_PROBES"] ?? "").toLowerCase());
}

function isKind(word: string): word is AdapterKind {
  return (adapterKinds as readonly string[]).includes(word);
}
