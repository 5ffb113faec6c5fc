// A program that does nothing but wait, whatever its arguments: it stands for a coding agent whose process is looked
// at by its program's path, its argument vector, its folder and its environment. Written byte by byte since no tool of
// a system takes every argument, and a hundred interpreters would cost more than what is tested.
import { writeFileSync } from "node:fs";
import { arch } from "node:process";

const headerBytes = 64 + 56;
const loadAt = 0x400000n;

/** `for (;;) pause();`, as the kernel calls it on each architecture. */
const codes: Readonly<Record<string, { readonly machine: number; readonly code: readonly number[] }>> = {
  // mov eax, 34 (pause); syscall; jmp back
  x64: { machine: 62, code: [0xb8, 34, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7] },
  // mov x0..x4, 0; mov x8, 73 (ppoll); svc 0; b back
  arm64: {
    machine: 183,
    code: [0xd2800000, 0xd2800001, 0xd2800002, 0xd2800003, 0xd2800004, 0xd2800928, 0xd4000001, 0x17fffff9].flatMap(
      (word) => [word & 0xff, (word >>> 8) & 0xff, (word >>> 16) & 0xff, word >>> 24],
    ),
  },
};

/** Puts the program at this path, executable. */
export function writeWaiter(path: string): void {
  const found = codes[arch];
  if (found === undefined) throw new Error(`no waiting program is known for ${arch}`);
  const program = Buffer.alloc(headerBytes + found.code.length);
  // The file's header: 64 bit, little endian, an executable, begins behind the headers.
  program.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  program.writeUInt16LE(2, 16);
  program.writeUInt16LE(found.machine, 18);
  program.writeUInt32LE(1, 20);
  program.writeBigUInt64LE(loadAt + BigInt(headerBytes), 24);
  program.writeBigUInt64LE(64n, 32);
  program.writeUInt16LE(64, 52);
  program.writeUInt16LE(56, 54);
  program.writeUInt16LE(1, 56);
  // Its one segment: the whole file, readable and executable.
  program.writeUInt32LE(1, 64);
  program.writeUInt32LE(5, 68);
  program.writeBigUInt64LE(loadAt, 80);
  program.writeBigUInt64LE(loadAt, 88);
  program.writeBigUInt64LE(BigInt(program.length), 96);
  program.writeBigUInt64LE(BigInt(program.length), 104);
  program.writeBigUInt64LE(0x1000n, 112);
  program.set(found.code, headerBytes);
  writeFileSync(path, program, { mode: 0o755 });
}
