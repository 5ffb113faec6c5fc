// Answers of probes as the script prints them, for tests: right in everything unless told otherwise.
import { beginWord, endWord } from "../../../../agent/core/probe.ts";

export const nonce = "0b8f1c62-nonce";
export const identity = "a".repeat(64);
export const namespace = "4026532999";
export const hostBoot = "boot-1";

export interface AnswerText {
  readonly format?: string;
  readonly begin?: string;
  readonly end?: string;
  readonly namespace?: string;
  readonly boot?: string;
  readonly container?: string | undefined;
  readonly clockSeconds?: number;
  readonly procfs?: string;
  readonly whole?: string;
  readonly processes?: readonly {
    readonly pid: number;
    readonly start: string;
    readonly state?: string;
    readonly argv?: string;
  }[];
  /** By folder: file and content. */
  readonly folders?: Readonly<Record<string, readonly (readonly [string, string | object])[]>>;
  readonly more?: readonly string[];
}

export const hex = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => ` ${byte.toString(16).padStart(2, "0")}`).join("");

export function answerText(of: AnswerText = {}): string {
  const container = "container" in of ? of.container : identity;
  return [
    `${beginWord} ${of.format ?? "1"} ${of.begin ?? nonce}`,
    `pidns pid:[${of.namespace ?? namespace}]`,
    `boot ${of.boot ?? hostBoot}`,
    `clock ${of.clockSeconds ?? 1_796_000_000}`,
    "self 40 40",
    `procfs / ${of.procfs ?? "rw,relatime - proc proc rw"}`,
    ...(container === undefined
      ? []
      : [`mount /x/overlay-containers/${container}/userdata/hosts`, `group /libpod-${container}`]),
    ...(of.processes ?? []).flatMap(({ pid, start, state = "S", argv = "claude" }) => [
      `process ${pid}`,
      hex(`${pid} (claude) ${state} 1 ${"0 ".repeat(17)}${start} 0\n`),
      "cmdline",
      hex(`${argv.split(" ").join("\0")}\0`),
      "exe /usr/local/bin/claude",
    ]),
    `processes ${of.whole ?? "whole"}`,
    ...Object.entries(of.folders ?? {}).flatMap(([folder, records]) => [
      "folder",
      hex(folder),
      ...records.flatMap(([name, content]) => [
        `record ${name}`,
        hex(typeof content === "string" ? content : JSON.stringify(content)),
      ]),
    ]),
    ...(of.more ?? []),
    `${endWord} ${of.end ?? nonce}`,
    "",
  ].join("\n");
}
