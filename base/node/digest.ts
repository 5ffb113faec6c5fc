// SHA-256 of a text. Its module takes longer to set up than many a command runs, so that it is set up by whoever needs
// a digest first.
import { createRequire } from "node:module";

type Crypto = typeof import("node:crypto");

let crypto: Crypto | undefined;

export function sha256(text: string, encoding: "hex" | "base64"): string {
  crypto ??= createRequire(import.meta.filename)("node:crypto") as Crypto;
  return crypto.createHash("sha256").update(text).digest(encoding);
}
