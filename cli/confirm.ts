// A question that a person answers at the terminal. Where nobody can be asked the answer is no.
import { createInterface } from "node:readline/promises";

/** @param question without its "[y/N]" */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
