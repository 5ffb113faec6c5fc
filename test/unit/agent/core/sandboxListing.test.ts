// What adapters' lists change: who is listed, under which name, for how long a silent one is believed, and which sandbox
// a process is in.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MonitorEvent } from "../../../../agent/core/monitorEvent.ts";
import { projectRoster } from "../../../../agent/core/roster.ts";
import type { ListedSandbox } from "../../../../agent/core/sandboxListing.ts";
import { absent, observed, unobserved, type SourceId } from "../../../../protocol/observation.ts";
import type { Roster } from "../../../../protocol/roster.ts";
import { facts, look, observe, second } from "./builders.ts";

const podman: SourceId = "sandboxes:podman";
const idOf = (letter: string): string => letter.repeat(64);

function container(name: string, more: Partial<ListedSandbox> = {}): ListedSandbox {
  return { identity: idOf("a"), name, adapter: "podman", state: "running", says: "container", ...more };
}

function list(at: number, sandboxes: readonly ListedSandbox[], source: SourceId = podman): MonitorEvent {
  return { kind: "sandboxes", list: observed(source, second(at), { sandboxes, skipped: new Map() }) };
}

const silent = (at: number): MonitorEvent => ({ kind: "sandboxes", list: unobserved(podman, second(at), "no answer") });
const rosterAt = (events: readonly MonitorEvent[], now = 20): Roster =>
  projectRoster(observe(events), { now: second(now), all: false, onlyWatchedFolders: false });
const said = (roster: Roster): readonly string[] =>
  roster.sandboxes.map(({ name, adapter, state, stale }) =>
    [name, adapter, state, stale ? "stale" : "fresh"].join(" "),
  );

const derived: ListedSandbox = {
  identity: "pidns:4026539999:1",
  name: "pidns:4026539999",
  adapter: "namespace",
  state: "running",
  says: "",
  derived: true,
  namespace: "4026539999",
};

describe("a list of sandboxes", () => {
  it("that fails keeps the one before, with its age and cause", () => {
    const roster = rosterAt([list(10, [container("box")]), silent(15)]);
    assert.deepEqual(said(roster), ["box podman running stale"]);
    assert.equal(roster.sandboxes[0]?.asOf, new Date(second(10)).toISOString());
    assert.match(roster.sandboxes[0].evidence[0]?.says ?? "", /not listed since .*: no answer/);
  });

  it("of an engine that was there and is not any more is no end of what it listed", () => {
    const gone: MonitorEvent = { kind: "sandboxes", list: absent(podman, second(15)) };
    assert.deepEqual(said(rosterAt([list(10, [container("box")]), gone])), ["box podman running stale"]);
  });

  it("without one that it held before is the end of that one", () => {
    assert.deepEqual(said(rosterAt([list(10, [container("box")]), list(15, [])])), []);
  });

  it("tells two of one name apart, and none of them by half", () => {
    const events = [
      list(10, [
        container("box"),
        container("box", { identity: idOf("b") }),
        container("box-2", { identity: idOf("c") }),
      ]),
      list(10, [container("box", { identity: idOf("d"), adapter: "docker" })], "sandboxes:docker"),
    ];
    assert.deepEqual(
      rosterAt(events).sandboxes.map(({ name }) => name),
      ["box (aaaaaaaaaaaa)", "box (bbbbbbbbbbbb)", "box (docker)", "box-2"],
    );
  });

  it("that two ends of one engine give shows each sandbox once, as fresh as the fresher end", () => {
    const other: SourceId = "sandboxes:podman:/other";
    const events = [list(10, [container("box")]), list(10, [container("box")], other), silent(15)];
    assert.deepEqual(said(rosterAt(events)), ["box podman running fresh"]);
  });
});

describe("a session in a container", () => {
  const inside = { namespace: "4026539999", containers: [idOf("a")] };
  const session = [look(second(18), facts(inside))];
  const sandboxOf = (events: readonly MonitorEvent[]): unknown =>
    rosterAt(events).sessions.map(({ sandbox }) => sandbox);

  it("is called by it, by the control group that the kernel tells", () => {
    assert.deepEqual(sandboxOf([...session, list(10, [container("box")])]), ["box"]);
  });

  it("is not called by one whose id only begins alike, or whose name does", () => {
    const near = container("box", { identity: `${idOf("a").slice(0, 63)}b` });
    assert.deepEqual(sandboxOf([...session, list(10, [near])]), ["pidns:4026539999"]);
  });

  it("is not called by an inner group's name, which whoever is inside can make", () => {
    const made = look(second(18), facts({ namespace: "4026539999", containers: [idOf("a"), idOf("b")] }));
    const events = [list(10, [container("own"), container("other", { identity: idOf("b") })]), made];
    assert.deepEqual(sandboxOf(events), ["own"]);
  });

  it("keeps the name when its container has left the list", () => {
    const roster = rosterAt([...session, list(10, [container("box")]), list(19, [])]);
    assert.deepEqual([roster.sessions[0]?.sandbox, said(roster)], ["box", ["box podman running fresh"]]);
  });

  it("is called by its pid namespace where no control group tells, unless two containers share it", () => {
    const bare = look(second(18), facts({ namespace: "4026539999" }));
    const one = container("box", { namespace: "4026539999" });
    const two = container("twin", { identity: idOf("b"), namespace: "4026539999" });
    assert.deepEqual(sandboxOf([bare, list(10, [one])]), ["box"]);
    assert.deepEqual(sandboxOf([bare, list(10, [one, two])]), ["pidns:4026539999"]);
  });

  it("stands in one sandbox where the process table found its namespace too", () => {
    const events = [...session, list(10, [container("box", { namespace: "4026539999" })])];
    const both = rosterAt([...events, list(10, [derived], "sandboxes:namespaces")]);
    assert.deepEqual([both.sessions[0]?.sandbox, said(both)], ["box", ["box podman running fresh"]]);
  });

  it("of a namespace that nobody named, the sandbox is told for as long as a row is in it", () => {
    const bare = look(second(18), facts({ namespace: "4026539999" }));
    const listed = list(10, [derived], "sandboxes:namespaces");
    assert.deepEqual(said(rosterAt([bare, listed])), ["pidns:4026539999 namespace running fresh"]);
    // Such as one with nothing but sessions of config folders that nobody asked for.
    assert.deepEqual(said(rosterAt([listed])), []);
  });

  it("says that its sandbox runs while the list is silent and the kernel is not", () => {
    const stopped = list(10, [container("box", { state: "stopped" })]);
    assert.deepEqual(said(rosterAt([...session, stopped])), ["box podman stopped fresh"]);
    assert.deepEqual(said(rosterAt([...session, stopped, silent(15)])), ["box podman running fresh"]);
  });
});
