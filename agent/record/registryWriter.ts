// What a caller asks of the registry in words, made into intents of the store. The same for the agent, which writes
// for its clients, and for a command that runs where no agent does.
import { rollcallError, type RollcallError } from "../../base/errors.ts";
import type { AgentParams, AgentResult } from "../../protocol/agentApi.ts";
import { intentWords } from "../core/keptIntents.ts";
import { entryToPut, isSandboxName, isSessionId, readSliceText } from "../core/registryInput.ts";
import { recordedTextChars } from "../../protocol/files/registry.ts";
import { RegistryStore, type RegistryWritten } from "./registryStore.ts";

export type RegistryInputErrorKind = "registry-input";
export type RegistryInputError = RollcallError<RegistryInputErrorKind>;

export class RegistryWriter {
  private readonly store: RegistryStore;

  constructor(store: RegistryStore) {
    this.store = store;
  }

  async put({ sandbox, ...session }: AgentParams<"registry/put">): Promise<RegistryWritten> {
    checkId(session.session);
    for (const [field, value] of Object.entries({ ...session, session: undefined }))
      if (value !== undefined && value.length > recordedTextChars)
        throw refused(
          `a ${field} of ${value.length} characters is no ${field}; give one of at most ${recordedTextChars}`,
        );
    await this.checkSandbox(sandbox);
    return this.store.put(sandbox, entryToPut(session));
  }

  async replace({ sandbox, entries, mayBeEmpty }: AgentParams<"registry/replace">): Promise<RegistryWritten> {
    const slice = readSliceText(entries);
    if (slice.kind === "refused")
      throw refused(`the new slice of ${sandbox} was refused since ${slice.because}; mend it and try again`);
    await this.checkSandbox(sandbox);
    return this.store.replaceSandboxSlice(sandbox, slice.entries, { mayBeEmpty });
  }

  forget({ session, sandbox }: AgentParams<"registry/forget">): Promise<RegistryWritten> {
    checkId(session);
    return this.store.forgetSession(session, sandbox);
  }

  depart({ session, sandbox }: AgentParams<"registry/depart">): Promise<RegistryWritten> {
    checkId(session);
    return this.store.markSessionDeparted(session, sandbox);
  }

  async restore({
    generation,
    sessions,
    sandbox,
  }: AgentParams<"registry/restore">): Promise<AgentResult<"registry/restore">> {
    for (const session of sessions ?? []) checkId(session);
    const { restored, aside } = await this.store.restore({ generation, sessions, sandbox });
    return { restored: [...restored], ...(aside === undefined ? {} : { aside }) };
  }

  async cancelIntent({ intent }: AgentParams<"registry/cancelIntent">): Promise<AgentResult<"registry/cancelIntent">> {
    const kept = await this.store.journal.cancelIntent(intent);
    return kept === undefined ? { cancelled: false } : { cancelled: true, act: intentWords(kept.intent) };
  }

  async tellOfDrops(_params: AgentParams<"registry/tellOfDrops">): Promise<AgentResult<"registry/tellOfDrops">> {
    const told = await this.store.journal.tellOfDrops();
    if (told === undefined) return { tell: false };
    return { tell: true, at: new Date(told.incident).toISOString(), sessions: told.sessions };
  }

  /** A name with odd letters is taken only where a registry has it already. */
  private async checkSandbox(name: string): Promise<void> {
    if (isSandboxName(name)) return;
    const load = await this.store.tryLoad();
    if (load.kind === "read" && load.value.slices.has(name)) return;
    throw refused(
      `${shortened(name)} cannot be a sandbox's name; give one of letters, digits, dots, dashes and underscores, at most 128`,
    );
  }
}

function checkId(id: string): void {
  if (!isSessionId(id))
    throw refused(
      `${shortened(id)} cannot be a session's id; give one of letters, digits, dots, dashes and underscores, at most 128`,
    );
}

function shortened(text: string): string {
  return JSON.stringify(text.length > 140 ? `${text.slice(0, 140)}…` : text);
}

function refused(message: string): RegistryInputError {
  return rollcallError("registry-input", message);
}
