// The suite's end of the page: runs in the extension host, is bundled with the tests, and knows the page
// only by ROLLCALL_TEST_PAGE. `eventually` is the one way to wait, so that every wait has a deadline and
// its error shows what was seen last.
import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { pageMethods, type PageApi } from "./pageApi.ts";

const callDeadlineMs = 30_000;

export function connectPage(path = process.env["ROLLCALL_TEST_PAGE"]): PageApi {
  if (!path) throw new Error("ROLLCALL_TEST_PAGE is not set: run this suite with npm test, not from the editor");
  const methods = Object.keys(pageMethods).map((method) => [
    method,
    (...args: unknown[]) => call(path, { method, args }),
  ]);
  return Object.fromEntries(methods) as PageApi;
}

/** Reads until the value satisfies `wanted`, or is deeply equal to it; returns it. */
export async function eventually<T>(
  read: () => Promise<T>,
  wanted: ((value: T) => boolean) | T,
  deadlineMs = 10_000,
): Promise<T> {
  const satisfies = (value: T): boolean =>
    typeof wanted === "function" ? (wanted as (value: T) => boolean)(value) : isDeepStrictEqual(value, wanted);
  const giveUpAt = Date.now() + deadlineMs;
  for (;;) {
    const value = await read();
    if (satisfies(value)) return value;
    if (Date.now() > giveUpAt) {
      throw new Error(`not within ${deadlineMs} ms: wanted ${describe(wanted)}, saw last ${describe(value)}`);
    }
    await delay(50);
  }
}

function describe(value: unknown): string {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- undefined has no JSON, whatever the types say
  return typeof value === "function" ? String(value) : (JSON.stringify(value, null, 1) ?? "undefined");
}

interface Call {
  readonly method: string;
  readonly args: readonly unknown[];
}

function call(socketPath: string, { method, args }: Call): Promise<unknown> {
  return new Promise((done, failed) => {
    const options = { socketPath, path: `/${method}`, method: "POST", signal: AbortSignal.timeout(callDeadlineMs) };
    const post = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.once("error", failed);
      response.once("end", () => {
        const answer = JSON.parse(text) as { result?: unknown; error?: string };
        if (answer.error === undefined) done(answer.result);
        else failed(new Error(`${method}: ${answer.error}`));
      });
    });
    post.once("error", (cause) =>
      failed(new Error(`${method}: the page did not answer (${cause.message})`, { cause })),
    );
    post.end(JSON.stringify(args));
  });
}
