// A small file of `/proc`, read at once. Such a file tells no size, for which a plain read takes 64 KiB of memory each
// time; a first look reads a thousand of them.
import { closeSync, openSync, readFileSync, readSync } from "node:fs";

const shared = Buffer.allocUnsafeSlow(16 * 1024);

/** @throws the system's error */
export function readProcText(path: string): string {
  const file = openSync(path, "r");
  try {
    const length = readSync(file, shared, 0, shared.length, 0);
    // The kernel fills as far as there is something, so that less than the whole is the end.
    if (length < shared.length) return shared.toString("latin1", 0, length);
  } finally {
    closeSync(file);
  }
  return readFileSync(path, "latin1");
}
