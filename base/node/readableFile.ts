// What whoever reads needs of an open file, however it is reached: through a thread, or at once.
import type { Stats } from "node:fs";

export interface ReadableFile {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  stat(): Promise<Stats>;
  close(): Promise<void>;
}
