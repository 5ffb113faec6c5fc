// Every adapter of sandboxes holds the contract: the real ones over Podman's real engine, real pid namespaces and a
// stand-in of `sbx`, and a simulated one.
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { EngineAdapter } from "../../agent/observe/sandboxes/engineAdapter.ts";
import { NamespacesAdapter } from "../../agent/observe/sandboxes/namespacesAdapter.ts";
import { SbxAdapter } from "../../agent/observe/sandboxes/sbxAdapter.ts";
import { scratchFolder } from "../support/rollcall/scratch.ts";
import { SandboxWorld } from "../support/rollcall/sandbox.ts";
import { adapterContract } from "../support/sandboxes/adapterContract.ts";
import { PodmanWorld, podmanMissing } from "../support/sandboxes/podman.ts";
import { SimulatedAdapter } from "../support/sandboxes/simulatedAdapter.ts";

const now = (): number => Date.now();

describe("a simulated adapter", () => {
  adapterContract(() => {
    const adapter = new SimulatedAdapter();
    const one = adapter.sandboxes[0];
    return Promise.resolve({
      adapter,
      running: "one",
      silence: () => void (adapter.mood = "silent"),
      without: () => Object.assign(new SimulatedAdapter(), { mood: "missing" as const }),
      rest: () => void (adapter.sandboxes = one === undefined ? [] : [{ ...one, state: "stopped" }]),
      stateOf: () => adapter.sandboxes[0]?.state ?? "none",
    });
  });
});

describe("Docker's and Podman's adapter on a real engine", { skip: podmanMissing(), timeout: 240_000 }, () => {
  let podman: PodmanWorld;
  let count = 0;
  before(async () => {
    podman = new PodmanWorld();
    await podman.serve();
  });
  after(async () => podman.close());

  adapterContract(async (t) => {
    await podman.serve();
    const name = `contract-${(count += 1)}`;
    podman.run(name);
    const end = (socket: string) => ({ kind: "podman", source: "sandboxes:podman", socket }) as const;
    const adapter = new EngineAdapter({ end: end(podman.socket), now, hostNamespace: undefined });
    t.after(() => adapter.dispose());
    return {
      adapter,
      running: name,
      silence: () => podman.stopServing(),
      without: (inner) =>
        new EngineAdapter({ end: end(join(scratchFolder(inner), "none.sock")), now, hostNamespace: undefined }),
      rest: () => void podman.podman("stop", "--time=0", name),
      stateOf: () => podman.podman("inspect", "--format", "{{.State.Status}}", name).trim(),
    };
  });
});

describe("the adapter of Docker Sandboxes on a stand-in of sbx", () => {
  adapterContract((t) => {
    const folder = scratchFolder(t);
    const state = join(folder, "state");
    const sbx = join(folder, "sbx");
    writeFileSync(state, "running");
    writeFileSync(
      sbx,
      `#!/bin/sh
case "$*" in
"daemon status --json") echo '{"status":"running"}' ;;
"ls --json") echo "{\\"sandboxes\\":[{\\"name\\":\\"one\\",\\"id\\":\\"sb_1\\",\\"status\\":\\"$(cat ${state})\\"}]}" ;;
*) echo running > ${state} ;;
esac
`,
    );
    chmodSync(sbx, 0o755);
    let at = 0;
    const env = { PATH: `${folder}:${process.env["PATH"] ?? "/usr/bin:/bin"}` };
    return Promise.resolve({
      // Each look is long after the one before.
      adapter: new SbxAdapter({ now: () => (at += 60_000), env }),
      running: "one",
      silence: () => writeFileSync(sbx, "#!/bin/sh\nexit 4\n"),
      without: (inner) => new SbxAdapter({ now, env: { PATH: scratchFolder(inner) } }),
      rest: () => writeFileSync(state, "stopped"),
      stateOf: () => readFileSync(state, "utf8").trim(),
    });
  });
});

describe("the adapter of pid namespaces on real ones", { timeout: 120_000 }, () => {
  let world: SandboxWorld;
  before(() => {
    world = new SandboxWorld();
  });
  after(async () => world.close());

  adapterContract(async (t) => {
    const inside = await world.start();
    const wanted = new Set([inside.namespace]);
    let fails = false;
    const adapter = new NamespacesAdapter({
      now,
      wanted: () => {
        if (fails) throw new Error("what is known of processes cannot be told");
        return wanted;
      },
      kernelAnswers: true,
    });
    t.after(() => inside.end());
    return {
      adapter,
      running: inside.sandbox,
      silence: () => void (fails = true),
      without: () => new NamespacesAdapter({ now, wanted: () => wanted, kernelAnswers: false }),
      rest: undefined,
      stateOf: () => "running",
    };
  });
});
