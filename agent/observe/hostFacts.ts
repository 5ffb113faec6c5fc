// What holds for this host: our own pid namespace as the coding agent names it, and when the host was started.
import { readFileSync, readlinkSync } from "node:fs";
import { errorCode } from "../../base/errors.ts";
import type { HostFacts } from "../core/monitor.ts";
import { initialNamespace } from "../core/recordDomain.ts";

export function readHostFacts(): HostFacts {
  if (process.platform !== "linux")
    return { pidDomain: undefined, namespace: undefined, bootedAt: undefined, bootId: undefined, kernelAnswers: false };
  const namespace = tellOr(() => /^pid:\[(\d+)\]$/.exec(readlinkSync("/proc/self/ns/pid"))?.[1]);
  const machine = tellOr(readMachineId);
  const bootSeconds = tellOr(() => /^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8"))?.[1]);
  return {
    namespace,
    pidDomain: namespace === undefined || machine === undefined ? undefined : ownDomain(machine, namespace),
    bootedAt: bootSeconds === undefined ? undefined : Number(bootSeconds) * 1000,
    bootId: tellOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    kernelAnswers: true,
  };
}

/** The coding agent writes an empty id where the host has none. */
function readMachineId(): string {
  try {
    return readFileSync("/etc/machine-id", "utf8").trim();
  } catch (error) {
    // eslint-disable-next-line no-restricted-syntax -- the file's absence is the answer
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  }
}

/** The first namespace has the same number on every host, so that without a machine id it names none. */
function ownDomain(machine: string, namespace: string): string | undefined {
  if (machine === "" && namespace === initialNamespace) return undefined;
  return `linux:${machine}:pid:[${namespace}]`;
}

/** A fact that could not be read is one that nobody relies on: every user of it handles its absence as unknown. */
function tellOr<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch {
    // eslint-disable-next-line no-restricted-syntax -- undefined means unknown here, see above
    return undefined;
  }
}
