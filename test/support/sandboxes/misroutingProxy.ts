// An engine's socket behind another one that leads what is run in one container into another: what a mix-up of names, or
// an engine that was exchanged meanwhile, does to a probe.
import { createServer, request } from "node:http";
import { join } from "node:path";
import type { PodmanWorld } from "./podman.ts";

export interface MisroutingProxy {
  readonly socket: string;
  close(): void;
}

export async function misroutingProxy(
  podman: PodmanWorld,
  names: { readonly from: string; readonly to: string },
): Promise<MisroutingProxy> {
  const idOf = (name: string): string => podman.podman("inspect", "--format", "{{.Id}}", name).trim();
  const [from, to] = [idOf(names.from), idOf(names.to)];
  const socket = join(podman.root, "misrouting.sock");
  const server = createServer((asked, answer) => {
    const path = asked.url ?? "/";
    const led = path.endsWith("/exec") ? path.replace(from, to) : path;
    const onward = request(
      { socketPath: podman.socket, path: led, method: asked.method, headers: asked.headers, agent: false },
      (response) => {
        answer.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(answer);
      },
    );
    onward.once("error", () => answer.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    socket,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
