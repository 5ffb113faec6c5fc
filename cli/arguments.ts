// Arguments by node's own parser, with its complaints as usage errors.
import { parseArgs, type ParseArgsConfig } from "node:util";
import { describeError } from "../base/errors.ts";
import { UsageError } from "./command.ts";

export interface FlagSpec {
  /** One that may be given several times is of `strings`. */
  readonly flags: Readonly<Record<string, "boolean" | "string" | "strings">>;
  /** How many positional arguments there may be. */
  readonly positionals: { readonly least: number; readonly most: number };
}

export interface ParsedArguments {
  has(flag: string): boolean;
  /** What a flag was given; undefined where it was not. */
  text(flag: string): string | undefined;
  /** All that a flag was given. */
  texts(flag: string): readonly string[];
  readonly positionals: readonly string[];
}

export function parseArguments(args: readonly string[], spec: FlagSpec): ParsedArguments {
  const options: NonNullable<ParseArgsConfig["options"]> = Object.fromEntries(
    Object.entries(spec.flags).map(([name, type]) => [
      name,
      type === "strings" ? { type: "string", multiple: true } : { type },
    ]),
  );
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    // Node's words go on with advice for an argument that nobody gave.
    throw new UsageError(describeError(error).split(". ")[0] ?? "");
  }
  const { least, most } = spec.positionals;
  const { positionals, values } = parsed;
  if (positionals.length < least) throw new UsageError("an argument is missing");
  if (positionals.length > most) throw new UsageError(`unexpected argument ${positionals[most] ?? ""}`);
  return {
    has: (flag) => values[flag] === true,
    text: (flag) => {
      const value = values[flag];
      return typeof value === "string" ? value : undefined;
    },
    texts: (flag) => {
      const value = values[flag];
      return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
    },
    positionals,
  };
}
