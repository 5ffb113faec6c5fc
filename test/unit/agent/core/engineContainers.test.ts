// What a container engine's answers say, and which of them are none.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readContainer, readContainers, sandboxOfContainer } from "../../../../agent/core/engineContainers.ts";

const id = "a".repeat(64);
const item = (more: object = {}): object => ({ Id: id, Names: ["/box"], State: "running", Image: "i:1", ...more });
const one = (more: object) => {
  const read = readContainers([item(more)], 10);
  assert.ok(read.kind === "read");
  const [container] = read.containers;
  return container === undefined ? undefined : sandboxOfContainer("podman", container);
};

describe("an engine's list of containers", () => {
  it("is no answer where it has another shape: without ids, without states, no list at all", () => {
    for (const answer of [
      undefined,
      { containers: [] },
      [item({ Id: undefined })],
      [item({ Id: "abc" })],
      [item({ State: 3 })],
      [item(), "box"],
      [item(), null],
    ])
      assert.equal(readContainers(answer, 10).kind, "not-understood", JSON.stringify(answer));
    assert.deepEqual(readContainers([], 10), { kind: "read", containers: [], skipped: new Map() });
  });

  it("gives no name to a container that has none, and counts it", () => {
    for (const Names of [undefined, null, [], [""], ["/"], ["a b"], ["../x"], [7]]) {
      const read = readContainers([item({ Names })], 10);
      assert.ok(read.kind === "read");
      assert.deepEqual([read.containers, [...read.skipped]], [[], [["a container without a name", 1]]]);
    }
  });

  it("takes of several names the container's own, and that whole", () => {
    assert.equal(one({ Names: ["/web/db", "/linera-agent-0a1b"] })?.name, "linera-agent-0a1b");
  });

  it("is bounded, and what is left out is counted", () => {
    const read = readContainers([item(), item(), item()], 2);
    assert.ok(read.kind === "read");
    assert.deepEqual([read.containers.length, [...read.skipped.values()]], [2, [1]]);
  });

  it("says each state by the roster's literal, the list and the single container alike", () => {
    const states = {
      created: "stopped",
      running: "running",
      paused: "paused",
      restarting: "restoring",
      exited: "stopped",
      removing: "deleting",
      dead: "failed",
      Running: "running",
      toString: "unknown",
      stopping: "unknown",
    };
    for (const [engine, state] of Object.entries(states)) {
      assert.equal(one({ State: engine })?.state, state, engine);
      assert.equal(readContainer({ Id: id, State: { Status: engine, Pid: 0 } })?.state, state, engine);
    }
  });

  it("says nothing that changes by itself, such as for how long it is up", () => {
    assert.equal(one({ Status: "Up 3 seconds" })?.says, one({ Status: "Up 4 seconds" })?.says);
  });

  it("calls a dev container by the folder that it is for", () => {
    const title = (labels: object): unknown => one({ Labels: labels })?.title;
    assert.equal(title({ "devcontainer.local_folder": "/home/u/src/my app/" }), "my app");
    assert.equal(title({ "devcontainer.local_folder": "c:\\src\\app" }), "app");
    assert.equal(title({ "vsch.local.folder": "/home/u/old" }), "old");
    for (const labels of [{}, { "devcontainer.local_folder": "" }, { "devcontainer.local_folder": 7 }, { x: "/y" }])
      assert.equal(title(labels), undefined);
    assert.match(one({ Labels: { "devcontainer.local_folder": "/home/u/app" } })?.says ?? "", /of \/home\/u\/app/);
  });
});

describe("an engine's answer on one container", () => {
  it("tells its first process where it has one", () => {
    const pidOf = (Pid: unknown): unknown => readContainer({ Id: id, State: { Status: "running", Pid } })?.pid;
    assert.deepEqual([7, 0, -1, "7", 1.5].map(pidOf), [7, undefined, undefined, undefined, undefined]);
  });

  it("is none where it has another shape", () => {
    for (const answer of [
      undefined,
      [],
      {},
      { Id: id },
      { Id: "x", State: { Status: "running" } },
      { Id: id, State: [] },
    ])
      assert.equal(readContainer(answer), undefined);
  });
});
