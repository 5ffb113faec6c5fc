// Serves the page interface to the suite: one POST per call, the method in the path, arguments and result
// as JSON, on a unix socket (a named pipe on Windows) in a folder that only this user can enter.
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { isPageMethod, type PageApi } from "./pageApi.ts";

export interface PageServer {
  /** For ROLLCALL_TEST_PAGE. */
  readonly path: string;
  close(): Promise<void>;
}

const argumentsLimitBytes = 1_000_000;

/** `page` may still be on its way: calls wait for it. */
export async function servePage(page: Promise<PageApi>): Promise<PageServer> {
  // A page that never comes is each caller's error, not an unhandled one.
  page.catch(() => undefined);
  const server = createServer((request, response) => void answer(page, request, response));
  const place = await socketPlace();
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(place.path, listening);
  });
  return {
    path: place.path,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((closed) => server.close(() => closed()));
      await place.remove();
    },
  };
}

async function socketPlace(): Promise<{ path: string; remove(): Promise<void> }> {
  if (process.platform === "win32") {
    const name = `rollcall-page-${randomBytes(12).toString("hex")}`;
    return { path: `\\\\.\\pipe\\${name}`, remove: () => Promise.resolve() };
  }
  const folder = await mkdtemp(join(tmpdir(), "rc-page-"));
  const path = join(folder, "s");
  if (Buffer.byteLength(path) > 100)
    throw new Error(`${tmpdir()} is too long for a socket: set TMPDIR to a shorter one`);
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function answer(page: Promise<PageApi>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let status = 200;
  let body: unknown;
  try {
    const method = (request.url ?? "").slice(1);
    if (!isPageMethod(method)) throw new Error(`the page has no method ${method}`);
    const args = JSON.parse(await readAll(request)) as unknown[];
    const target: Readonly<Record<keyof PageApi, (...args: never[]) => Promise<unknown>>> = await page;
    body = { result: await target[method](...(args as never[])) };
  } catch (cause) {
    status = 500;
    body = { error: stripVTControlCharacters(cause instanceof Error ? cause.message : String(cause)) };
  }
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function readAll(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > argumentsLimitBytes) throw new Error("the arguments are too large");
  }
  return text;
}
