// Ids of the product, each a type of its own so that two cannot be swapped.

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Unique and stable: one conversation in one config folder of one host. */
export type SessionKey = Branded<"SessionKey">;
/** A process for as long as it lives: its pid and its start, so that a reused pid is another one. */
export type ProcessInstance = Branded<"ProcessInstance">;

/** Letters that a session's id and a sandbox's name are made of; anything else never reaches a command or a path. */
export const safeIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

export function sessionKey(configDir: string, id: string): SessionKey {
  return `${configDir}#${id}` as SessionKey;
}

/** @param startToken the start as the source tells it: on Linux the ticks since boot */
export function processInstance(pid: number, startToken: string): ProcessInstance {
  return `${pid}:${startToken}` as ProcessInstance;
}

/** The id of a session that is known by its process only. */
export function processSessionId(namespace: string, pid: number, startToken: string): string {
  return `proc:${namespace}:${pid}:${startToken}`;
}
