// What a program in a container printed, out of the engine's stream: frames of a kind, a length and as many bytes, one
// after the other. A stream that does not end with a whole frame broke off.

export type EngineStream =
  | { readonly kind: "whole"; readonly output: readonly Uint8Array[] }
  | { readonly kind: "broken"; readonly says: string };

const headerBytes = 8;
const standardOutput = 1;
const kinds = 2;

/** What went to its standard output; its other output is dropped. */
export function readEngineStream(bytes: Uint8Array): EngineStream {
  const output: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const header = bytes.subarray(at, at + headerBytes);
    const kind = header[0] ?? 0;
    if (header.length < headerBytes || kind > kinds || header[1] !== 0 || header[2] !== 0 || header[3] !== 0)
      return { kind: "broken", says: "the engine's stream is not made of frames" };
    const length = new DataView(header.buffer, header.byteOffset).getUint32(4);
    const end = at + headerBytes + length;
    if (end > bytes.length) return { kind: "broken", says: "the engine's stream broke off" };
    if (kind === standardOutput) output.push(bytes.subarray(at + headerBytes, end));
    at = end;
  }
  return { kind: "whole", output };
}
