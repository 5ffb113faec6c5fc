// Where engines are asked: what the environment names, else their usual sockets, each engine once.
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { engineEnds } from "../../../../../agent/observe/sandboxes/engineEnds.ts";
import { wouldStartTheEngine } from "../../../../../agent/observe/sandboxes/socketActivation.ts";
import { scratchFolder } from "../../../../support/rollcall/scratch.ts";

const endsOf = (env: Record<string, string>, uid = 0): readonly string[] =>
  engineEnds(env, uid).map((end) => `${end.source} ${"socket" in end ? end.socket : "cannot be asked"}`);

describe("the ends of engines", () => {
  it("are those that the environment names", () => {
    const ends = endsOf({ DOCKER_HOST: "unix:///a/docker.sock", CONTAINER_HOST: "unix:///b/podman.sock" });
    assert.deepEqual(ends, ["sandboxes:docker /a/docker.sock", "sandboxes:podman /b/podman.sock"]);
  });

  it("say of an engine elsewhere that it is not asked, and what to do", () => {
    for (const host of ["tcp://10.0.0.1:2375", "ssh://u@h", "npipe:////./pipe/docker", "unix://relative"]) {
      const [docker] = engineEnds({ DOCKER_HOST: host, CONTAINER_HOST: "unix:///p" }, 0);
      assert.ok(docker !== undefined && "cause" in docker);
      assert.match(docker.cause, /DOCKER_HOST .*only unix sockets.*ROLLCALL_SANDBOX_ADAPTERS/);
    }
  });

  it("are the user's own before those of the system, and for root the other way round", (t) => {
    const runtime = scratchFolder(t);
    const own = join(runtime, "podman", "podman.sock");
    const env = { XDG_RUNTIME_DIR: runtime, DOCKER_HOST: "unix:///d" };
    assert.equal(endsOf(env, 1_000)[1], `sandboxes:podman ${own}`);
    assert.deepEqual(endsOf(env, 0).slice(1), [
      "sandboxes:podman /run/podman/podman.sock",
      `sandboxes:podman:${own} ${own}`,
    ]);
    mkdirSync(join(runtime, "podman"));
    writeFileSync(own, "");
    assert.equal(endsOf(env, 0)[1], `sandboxes:podman ${own}`);
  });

  it("are each asked once, by its own name, where one is a link to the other", (t) => {
    const folder = scratchFolder(t);
    const real = join(folder, "podman.sock");
    writeFileSync(real, "");
    symlinkSync(real, join(folder, "docker.sock"));
    const env = { DOCKER_HOST: `unix://${folder}/docker.sock`, CONTAINER_HOST: `unix://${real}` };
    assert.deepEqual(endsOf(env), [`sandboxes:podman ${real}`]);
  });
});

describe("asking a socket that systemd holds", () => {
  const host = (
    more: Partial<Parameters<typeof wouldStartTheEngine>[1]>,
  ): Parameters<typeof wouldStartTheEngine>[1] => ({
    realPath: () => "/run/docker.sock",
    isThere: () => true,
    programs: () => ["systemd", "bash"],
    ...more,
  });
  it("would start Docker where its daemon does not run", () => {
    assert.equal(wouldStartTheEngine("/var/run/docker.sock", host({})), true);
  });
  it("starts nothing where the daemon runs, where there is no systemd, no socket, or another one", () => {
    for (const more of [
      { programs: () => ["systemd", "dockerd"] },
      { isThere: () => false },
      { realPath: () => undefined },
      { realPath: () => "/run/podman/podman.sock" },
    ])
      assert.equal(wouldStartTheEngine("/var/run/docker.sock", host(more)), false);
  });
});
