// `rollcall registry verify`: whether the registry can be read and written, and what in it was read over.
import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { describeError } from "../../../base/errors.ts";
import { listGenerations } from "../../../base/node/generations.ts";
import type { RegistryLoad, RegistryStore } from "../../../agent/record/registryStore.ts";
import { amount } from "../../../base/amount.ts";
import type { RegistryVerifyJson } from "../../../protocol/cliJson.ts";
import { parseArguments } from "../../arguments.ts";
import { printable } from "../../printable.ts";
import { registryStore } from "../../registryWrites.ts";
import type { RegistryAct } from "./act.ts";

type Finding = RegistryVerifyJson["findings"][number];

export const verify: RegistryAct = {
  name: "verify",
  usage: "verify [--json]",
  says: "says whether the registry can be read and written; exit code 1 when a check fails",
  async run(args, io) {
    const parsed = parseArguments(args, { flags: { json: "boolean" }, positionals: { least: 0, most: 0 } });
    const store = registryStore(io);
    const { path } = store;
    const load = await store.tryLoad();
    const findings = [
      reading(load),
      ...contents(load),
      writing(path, load),
      await generations(path),
      await journal(store),
    ];
    const ok = findings.every((finding) => finding.ok);
    const answer: RegistryVerifyJson = {
      version: 1,
      ok,
      path,
      state: load.kind,
      ...(load.kind === "unreadable" ? { cause: load.cause } : {}),
      findings,
    };
    io.out(
      parsed.has("json")
        ? `${JSON.stringify(answer, null, 2)}\n`
        : `${path}\n${printable(findings)
            .map(({ ok: fine, what, says }) => `${fine ? "ok  " : "FAIL"}  ${what}: ${says}\n`)
            .join("")}`,
    );
    return ok ? 0 : 1;
  },
};

function reading(load: RegistryLoad): Finding {
  const what = "reading";
  switch (load.kind) {
    case "absent":
      return { ok: true, what, says: "it was never written; the first write makes it" };
    case "read":
      return { ok: true, what, says: `${load.value.slices.size} sandbox(es)` };
    case "unreadable":
      return {
        ok: false,
        what,
        says: `${load.cause}; nothing is written until it can be read: mend it, or have "rollcall registry restore" put what it last held in its place`,
      };
  }
}

function contents(load: RegistryLoad): readonly Finding[] {
  if (load.kind !== "read") return [];
  const { slices, isWritable, version } = load.value;
  const says = isWritable ? "1" : `${version ?? "none"}: it is read, and never written by this Rollcall`;
  const found: Finding[] = [{ ok: isWritable, what: "version", says }];
  for (const { name, skipped, unread, entries } of slices.values()) {
    for (const [why, places] of skipped)
      found.push({ ok: false, what: name, says: `${places.count} item(s) read over: ${why}; ${which(places)}` });
    for (const [field, places] of unread)
      found.push({ ok: false, what: name, says: `${places.count} ${field} cannot be read; ${which(places)}` });
    const doubled = entries.length - new Set(entries.map(({ fields }) => fields.session_id)).size;
    if (doubled > 0) found.push({ ok: false, what: name, says: `${doubled} session(s) are recorded twice in it` });
  }
  return found;
}

function which({ count, first }: { readonly count: number; readonly first: readonly number[] }): string {
  return `item ${first.join(", ")}${count > first.length ? ` and ${count - first.length} more` : ""} of its list`;
}

function writing(path: string, load: RegistryLoad): Finding {
  const what = "writing";
  try {
    accessSync(dirname(path), constants.W_OK);
    return { ok: true, what, says: `${dirname(path)} can be written` };
  } catch (error) {
    const says = `${dirname(path)} cannot be written (${describeError(error)})`;
    return { ok: load.kind === "absent", what, says };
  }
}

async function generations(path: string): Promise<Finding> {
  const what = "generations";
  try {
    const kept = await listGenerations(path);
    return {
      ok: true,
      what,
      says: kept.length === 0 ? "none yet" : `${kept.length}, the last one ${kept.at(-1) ?? ""}`,
    };
  } catch (error) {
    return { ok: false, what, says: describeError(error) };
  }
}

/** What another writer dropped and what waits says nothing against the file as it is. */
async function journal(store: RegistryStore): Promise<Finding> {
  const what = "journal";
  try {
    const { generations: contents, dropped, intents } = await store.journal.read();
    const parts = [
      amount(contents.length, "content"),
      ...(dropped.size === 0
        ? []
        : [
            `${amount(dropped.size, "session")} dropped by another writer, which "rollcall registry restore" brings back`,
          ]),
      ...(intents.length === 0
        ? []
        : [`${amount(intents.length, "write")} that wait, see "rollcall registry intents"`]),
    ];
    return { ok: true, what, says: parts.join("; ") };
  } catch (error) {
    return { ok: false, what, says: describeError(error) };
  }
}
