// What a peer may send: frames of bounded size, however they are cut; everything else ends the stream at once.
import assert from "node:assert/strict";
import { finished } from "node:stream/promises";
import { describe, it } from "node:test";
import fc from "fast-check";
import { FrameGuard } from "../../../../protocol/node/frameGuard.ts";

const limitBytes = 100;

const frame = (body: string): Buffer => Buffer.from(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);

interface Passed {
  readonly bytes: Buffer;
  /** Why the stream was ended; undefined where it was not. */
  readonly fault: string | undefined;
}

async function pass(chunks: readonly Buffer[]): Promise<Passed> {
  const guard = new FrameGuard(limitBytes);
  const passed: Buffer[] = [];
  guard.on("data", (chunk: Buffer) => passed.push(chunk));
  for (const chunk of chunks) guard.write(chunk);
  guard.end();
  let fault: string | undefined;
  try {
    await finished(guard);
  } catch (error) {
    assert.equal((error as { kind?: string }).kind, "frame-refused");
    fault = (error as Error).message;
  }
  return { bytes: Buffer.concat(passed), fault };
}

function cut(whole: Buffer, at: readonly number[]): readonly Buffer[] {
  const cuts = [0, ...at.map((each) => each % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return cuts.slice(1).map((end, index) => whole.subarray(cuts[index], end));
}

/** The same, whether it comes at once or byte by byte. */
async function checkRefused(sent: Buffer | string, why: RegExp): Promise<void> {
  const bytes = Buffer.from(sent);
  for (const chunks of [[bytes], cut(bytes, [...bytes.keys()])]) assert.match((await pass(chunks)).fault ?? "", why);
}

async function checkPassed(sent: Buffer | string): Promise<void> {
  const bytes = Buffer.from(sent);
  for (const chunks of [[bytes], cut(bytes, [...bytes.keys()])])
    assert.deepEqual(await pass(chunks), { bytes, fault: undefined });
}

describe("frames within the limit", () => {
  it("pass as they are, empty ones too, and one of exactly the limit", async () => {
    await checkPassed(Buffer.concat([frame("{}"), frame(""), frame("x".repeat(limitBytes)), frame("日本")]));
  });

  it("pass with other headers, in any order and case", async () => {
    await checkPassed("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:2\r\n\r\n{}");
    await checkPassed("CONTENT-LENGTH:   2\r\nX: y\r\n\r\n{}");
  });

  it("pass whatever their bodies hold", async () => {
    await checkPassed(Buffer.concat([frame("Content-Length: 9999999\r\n\r\n"), frame("\r\n\r\n"), frame("{}")]));
  });

  it("pass in any chunks whatever", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { maxLength: 8 }),
        fc.array(fc.nat(2_000), { maxLength: 30 }),
        async (bodies, cuts) => {
          const whole = Buffer.concat(bodies.map(frame));
          assert.deepEqual(await pass(cut(whole, cuts)), { bytes: whole, fault: undefined });
        },
      ),
    );
  });
});

describe("what is refused", () => {
  it("is a frame over the limit, before its body has come", async () => {
    await checkRefused(`Content-Length: ${limitBytes + 1}\r\n\r\n`, /a message of 101 bytes is over the limit of 100/);
    await checkRefused("Content-Length: 999999999999\r\n\r\n", /over the limit/);
  });

  it("is one that comes after good ones, which have passed", async () => {
    const good = frame("{}");
    const { bytes, fault } = await pass([good, Buffer.from("Content-Length: 5000\r\n\r\n")]);
    assert.deepEqual(bytes, good);
    assert.match(fault ?? "", /over the limit/);
  });

  it("is a header without a length, or with one that is no plain number", async () => {
    for (const header of [
      "X: y",
      "",
      "Content-Length:",
      "Content-Length: -1",
      "Content-Length: 0x10",
      "Content-Length: 2x",
      "Content-Length: 99999999999999999999",
      "Content-Length : 2",
    ])
      await checkRefused(`${header}\r\n\r\n{}`, /tells no Content-Length/);
  });

  it("is a header that tells its length in more than one way, since its reader might take the other one", async () => {
    for (const header of [
      "Content-Length: 2\r\nContent-Length: 50000",
      "content-length: 2\r\nContent-Length: 50000",
      "X: content-length: 2\r\nContent-Length: 50000",
      "X-Content-Length: 2\r\nContent-Length: 50000",
      "Content-Length: 2\r",
      "X: \r\nContent-Length: 2\n",
    ]) {
      const { fault } = await pass([Buffer.from(`${header}\r\n\r\n{}`)]);
      assert.match(fault ?? "", /Content-Length|over the limit/, header);
    }
  });

  it("is a header that does not end", async () => {
    await checkRefused("x".repeat(5_000), /a message header is longer than 4096 bytes/);
    await checkRefused(
      `X: ${"y".repeat(5_000)}\r\nContent-Length: 2\r\n\r\n{}`,
      /longer than 4096 bytes|no Content-Length/,
    );
  });

  it("is noise", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 5_000, maxLength: 6_000 }), fc.nat(100), async (noise, size) => {
        const whole = Buffer.from(noise);
        const cuts = Array.from({ length: size }, (_, index) => index * 61);
        const { bytes, fault } = await pass(cut(whole, cuts));
        assert.ok(fault !== undefined);
        assert.ok(bytes.length <= 4_096 + 61 || cuts.length < 68);
      }),
      { numRuns: 30 },
    );
  });
});
