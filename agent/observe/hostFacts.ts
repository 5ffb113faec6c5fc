// What holds for this host: our own pid namespace as the coding agent names it, and when the host was started.
import { readFileSync, readlinkSync } from "node:fs";
import type { HostFacts } from "../core/monitor.ts";

export function readHostFacts(): HostFacts {
  if (process.platform !== "linux") return { pidDomain: undefined, namespace: undefined, bootedAt: undefined, bootId: undefined, kernelAnswers: false };
  const namespace = tellOr(() => /^pid:\[(\d+)\]$/.exec(readlinkSync("/proc/self/ns/pid"))?.[1]);
  const machine = tellOr(() => readFileSync("/etc/machine-id", "utf8").trim());
  const bootSeconds = tellOr(() => /^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1]);
  return {
    namespace,
    pidDomain: namespace === undefined || machine === undefined ? undefined : `linux:${machine}:pid:[${namespace}]`,
    bootedAt: bootSeconds === undefined ? undefined : Number(bootSeconds) * 1000,
    bootId: tellOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    kernelAnswers: true,
  };
}

/** A fact that could not be read is one that nobody relies on: every user of it handles its absence as unknown. */
function tellOr<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch (error) {
    return unknownFact(error);
  }
}

function unknownFact(_error: unknown): undefined {
  return undefined;
}
