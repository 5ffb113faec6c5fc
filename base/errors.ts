// What all error unions of the product share: a kind, one sentence for people, and the cause. Errors are
// recognised by their mark, since bundles hold more than one copy of a class.

const mark = "rollcall.error";

export interface RollcallError<Kind extends string = string> extends Error {
  readonly mark: typeof mark;
  readonly kind: Kind;
}

/**
 * @param message what failed, on what, and what to do next, as one sentence
 * @param cause the error underneath, kept and not repeated in the message
 */
export function rollcallError<Kind extends string>(kind: Kind, message: string, cause?: unknown): RollcallError<Kind> {
  const error = cause === undefined ? new Error(message) : new Error(message, { cause });
  return Object.assign(error, { mark, kind } as const);
}

export function isRollcallError(value: unknown): value is RollcallError {
  return value instanceof Error && "mark" in value && value.mark === mark;
}

/** The words of an error of any origin, with its code where it has one; never empty. */
export function describeError(error: unknown): string {
  if (error instanceof Error) return error.message === "" ? error.name : error.message;
  return String(error);
}

/** The `code` of a system error, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Makes a forgotten case a compile error. */
export function unreachable(value: never): never {
  throw new Error(`unreachable case: ${JSON.stringify(value)}`);
}
