// Bounds what a peer may send: vscode-jsonrpc takes a frame of any length, so this stands before its reader and
// ends the stream at a header or a message over the limit.
import { Transform, type TransformCallback } from "node:stream";
import { rollcallError } from "../../base/errors.ts";

const headerLimitBytes = 4096;
const headerEnd = Buffer.from("\r\n\r\n");

export class FrameGuard extends Transform {
  private readonly messageLimitBytes: number;
  private header = Buffer.alloc(0);
  private bodyLeft = 0;

  constructor(messageLimitBytes: number) {
    super();
    this.messageLimitBytes = messageLimitBytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const fault = this.inspect(chunk);
    if (fault === undefined) done(null, chunk);
    else done(rollcallError("frame-refused", fault));
  }

  private inspect(chunk: Buffer): string | undefined {
    let rest = chunk;
    while (rest.length > 0) {
      const body = Math.min(this.bodyLeft, rest.length);
      this.bodyLeft -= body;
      rest = rest.subarray(body);
      if (rest.length === 0) return undefined;
      const from = Math.max(0, this.header.length - headerEnd.length);
      const joined = Buffer.concat([this.header, rest]);
      const end = joined.indexOf(headerEnd, from);
      if (end < 0) {
        this.header = joined;
        return joined.length > headerLimitBytes ? "a message header is longer than 4096 bytes" : undefined;
      }
      const length = contentLength(joined.toString("latin1", 0, Math.min(end, headerLimitBytes)));
      if (length === undefined) return "a message header tells no Content-Length, or not in one plain way";
      this.bodyLeft = length;
      if (this.bodyLeft > this.messageLimitBytes) {
        return `a message of ${this.bodyLeft} bytes is over the limit of ${this.messageLimitBytes}`;
      }
      rest = joined.subarray(end + headerEnd.length);
      this.header = Buffer.alloc(0);
    }
    return undefined;
  }
}

/** Undefined also where the reader behind this one could take another length than this does. */
function contentLength(header: string): number | undefined {
  const lines = header.split("\r\n");
  const told = lines.filter((line) => /content-length/i.test(line));
  if (told.length !== 1 || lines.some((line) => /[\r\n]/.test(line))) return undefined;
  const digits = /^content-length: *(\d{1,12})$/i.exec(told[0] ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}
