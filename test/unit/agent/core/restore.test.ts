// How one session is resumed, by what was found of it. What a whole HOME makes of it is in test/cases/restore.test.ts.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { oneForEachConversation, restoreItem, type RestoreLooks } from "../../../../agent/core/restore.ts";
import { restoreCandidates } from "../../../../agent/core/restoreCandidates.ts";
import type { RestoreSelection } from "../../../../protocol/restore.ts";
import type { Roster, Sandbox, Session } from "../../../../protocol/roster.ts";
import { session as liveSession } from "../../extension/core/rosters.ts";

const at = "2026-03-01T12:00:00.000Z";
const configDir = "/home/u/.claude";

function row(more: Partial<Session> = {}): Session {
  return liveSession("a", {
    sandbox: "box",
    liveness: { kind: "unknown", source: "registry", asOf: at, stale: false },
    registry: { recorded: true },
    ...more,
  });
}

function sandbox(more: Partial<Sandbox> = {}): Sandbox {
  return { name: "box", adapter: "registry", stale: false, asOf: at, state: "unknown", evidence: [], ...more };
}

function rosterOf(
  sessions: readonly Session[],
  sandboxes: readonly Sandbox[] = [],
  more: Partial<Roster> = {},
): Roster {
  return {
    version: 1,
    observedAt: at,
    sources: [{ id: "process-table", state: "observed", at }],
    nodes: [],
    sandboxes: [...sandboxes],
    sessions: [...sessions],
    skipped: [],
    ...more,
  };
}

const looks: RestoreLooks = {
  transcripts: { found: [{ path: `${configDir}/projects/-app/a.jsonl`, configDir, modifiedAt: 1 }], silent: [] },
  folder: { kind: "there" },
  goesOn: { kind: "here" },
};

interface Around {
  readonly selection?: RestoreSelection;
  readonly ownSandbox?: string;
  readonly looks?: Partial<RestoreLooks>;
}

function outcomeOf(roster: Roster, { selection = { all: true }, ownSandbox, looks: more }: Around = {}) {
  const [candidate] = restoreCandidates(roster, selection);
  assert.ok(candidate !== undefined);
  const around = { roster, selection, defaultConfigDir: configDir, namedConfigDirs: [configDir], ownSandbox };
  return restoreItem(candidate, { ...looks, ...more }, around).outcome;
}

function whyOf(roster: Roster, around: Around = {}): string {
  const outcome = outcomeOf(roster, around);
  return outcome.kind === "refused" ? outcome.why : outcome.kind;
}

describe("where a session is resumed", () => {
  it("on this host, which is said, where its sandbox cannot be entered or is known from nowhere else", () => {
    for (const sandboxes of [[], [sandbox()], [sandbox({ adapter: "proc", state: "running" })]]) {
      const outcome = outcomeOf(rosterOf([row()], sandboxes));
      assert.ok(outcome.kind === "resume");
      assert.equal(outcome.inSandbox, null);
      assert.equal(outcome.notes.length, 1);
    }
  });

  it("without a word where it ran on this host, or in the sandbox that Rollcall runs in", () => {
    const own = outcomeOf(rosterOf([row()]), { ownSandbox: "box" });
    assert.ok(own.kind === "resume");
    assert.deepEqual(own.notes, []);
    const host = outcomeOf(rosterOf([row({ sandbox: null })]), { selection: { sessions: ["a"] } });
    assert.ok(host.kind === "resume");
    assert.deepEqual(host.notes, []);
  });

  it("inside a container that runs, by the program of its adapter, each word for itself", () => {
    const ended = row({ liveness: { kind: "ended", source: "proc", asOf: at, stale: false, how: "killed" } });
    const roster = rosterOf([ended], [sandbox({ adapter: "podman", state: "running" })]);
    const outcome = outcomeOf(roster, { looks: { folder: { kind: "gone" }, transcripts: { found: [], silent: [] } } });
    assert.ok(outcome.kind === "resume");
    assert.deepEqual(outcome.argv, [
      "podman",
      "exec",
      "-it",
      "-w",
      "/home/u/src/app",
      "box",
      "claude",
      "--resume",
      "a",
    ]);
    assert.equal(outcome.cwd, null);
    assert.equal(outcome.inSandbox, "box");
  });

  it("not in a container that does not run, or of which nobody knows", () => {
    for (const more of [{ state: "stopped" }, { state: "running", stale: true }] as const) {
      const ended = row({ liveness: { kind: "ended", source: "proc", asOf: at, stale: false } });
      assert.equal(whyOf(rosterOf([ended], [sandbox({ adapter: "docker", ...more })])), "sandbox-stopped");
    }
  });
});

describe("a session of which nothing can tell whether it runs", () => {
  it("is refused where a container that was not asked may hold it", () => {
    assert.equal(whyOf(rosterOf([row()], [sandbox({ adapter: "docker", state: "running" })])), "liveness-unknown");
  });

  it("is refused while the process table, proc, its registry or its records do not answer, and says which", () => {
    for (const id of ["process-table", "proc", "registry", `pid-records:${configDir}`]) {
      const sources = [{ id, state: "unobserved" as const, at, cause: "it hangs" }];
      const outcome = outcomeOf(rosterOf([row()], [], { sources }));
      assert.ok(outcome.kind === "refused");
      assert.equal(outcome.why, "liveness-unknown");
      assert.ok(outcome.says.includes(`${id} does not answer (it hangs)`), outcome.says);
    }
  });

  it("is not held up by the silence of a source that could not tell of it", () => {
    const sources = [{ id: "pid-records:/other", state: "unobserved" as const, at }];
    assert.equal(whyOf(rosterOf([row()], [], { sources })), "resume");
  });

  it("is refused where a process in its folder holds nobody knows which conversation", () => {
    const nameless = liveSession("proc:1:2:3", { cwd: "/home/u/src/app" });
    assert.equal(whyOf(rosterOf([row(), nameless])), "liveness-unknown");
    const elsewhere = liveSession("proc:1:2:3", { cwd: "/home/u/src/other" });
    assert.equal(whyOf(rosterOf([row(), elsewhere])), "resume");
  });

  it("is resumed by force, but never one that lives, as of whatever time", () => {
    const sources = [{ id: "process-table", state: "unobserved" as const, at }];
    assert.equal(whyOf(rosterOf([row()], [], { sources }), { selection: { all: true, force: true } }), "resume");
    const stale = row({ liveness: { kind: "live", source: "proc", asOf: at, stale: true } });
    assert.equal(whyOf(rosterOf([stale], [], { sources }), { selection: { all: true, force: true } }), "live");
  });
});

describe("what is not found", () => {
  it("is unknown where a config folder cannot be searched, and none only where all were", () => {
    const silent = [{ configDir, cause: "no answer within 5000 ms" }];
    assert.equal(whyOf(rosterOf([row()]), { looks: { transcripts: { found: [], silent } } }), "transcript-unknown");
    assert.equal(whyOf(rosterOf([row()]), { looks: { transcripts: { found: [], silent: [] } } }), "no-transcript");
  });

  it("a folder that cannot be looked at is not one that is gone", () => {
    assert.equal(
      whyOf(rosterOf([row()]), { looks: { folder: { kind: "cannot-tell", cause: "EACCES" } } }),
      "folder-unknown",
    );
    assert.equal(whyOf(rosterOf([row()]), { looks: { folder: { kind: "gone" } } }), "folder-gone");
    assert.equal(whyOf(rosterOf([row({ cwd: null, startCwd: null })])), "folder-unknown");
  });

  it("a conversation that a /clear took the place of is not restored", () => {
    const rotated = row({ liveness: { kind: "ended", how: "rotated", source: "proc", asOf: at, stale: false } });
    assert.equal(whyOf(rosterOf([rotated])), "rotated");
  });
});

describe("which sessions a restore is about", () => {
  const asked = (sessions: readonly Session[], selection: RestoreSelection): readonly string[] =>
    restoreCandidates(rosterOf(sessions), selection).map((each) =>
      each.kind === "candidate" ? each.session.key : each.refusal.why,
    );

  it("in a wave those that are recorded and did not depart", () => {
    const departed = row({ key: "d", id: "d", registry: { recorded: true, departedAt: at } });
    const loose = row({ key: "l", id: "l", registry: { recorded: false } });
    assert.deepEqual(asked([row({ key: "r" }), departed, loose], { all: true }), ["r"]);
    assert.deepEqual(asked([departed, loose], { sessions: ["d", "l"] }), ["departed", "l"]);
  });

  it("never one whose id is an option or a way out of a folder", () => {
    for (const id of ["-p", "--resume", "..", ".a", "a b", "a;b", "", "proc:1:2:3"])
      assert.deepEqual(asked([row({ id })], { all: true }), ["bad-id"], id);
  });

  it("none of a sandbox that nobody knows, which is said; one that is known may have none", () => {
    assert.deepEqual(asked([row()], { sandbox: "boxx" }), ["unknown-session"]);
    const known = rosterOf([], [sandbox()]);
    assert.deepEqual(restoreCandidates(known, { sandbox: "box" }), []);
  });

  it("that of a live row of the same conversation elsewhere is live", () => {
    const live = liveSession("a", { key: "other", configDir: "/elsewhere" });
    assert.deepEqual(asked([row(), live], { sandbox: "box" }), ["live"]);
  });
});

describe("a conversation that goes on as another one", () => {
  it("is not resumed, unless by force", () => {
    const goesOn = { goesOn: { kind: "as", id: "b" } } as const;
    assert.equal(whyOf(rosterOf([row()]), { looks: goesOn }), "resumed-as");
    assert.equal(whyOf(rosterOf([row()]), { looks: goesOn, selection: { all: true, force: true } }), "resume");
  });

  it("is told by a doubt where that cannot be told", () => {
    const outcome = outcomeOf(rosterOf([row({ sandbox: null })]), {
      selection: { sessions: ["a"] },
      looks: { goesOn: { kind: "cannot-tell", cause: "EIO" } },
    });
    assert.ok(outcome.kind === "resume");
    assert.match(outcome.notes.join(), /cannot be told: EIO/);
  });

  it("is used with the config folders that somebody named only", () => {
    const transcript = "/shared/evil/projects/-app/a.jsonl";
    const none = { transcripts: { found: [], silent: [] } };
    assert.equal(whyOf(rosterOf([row({ transcript })]), { looks: none }), "transcript-untrusted");
  });
});

describe("one conversation that is recorded twice", () => {
  it("is resumed in the first place only", () => {
    const roster = rosterOf([row(), row({ key: "k2", sandbox: "copy" })]);
    const selection = { all: true };
    const around = {
      roster,
      selection,
      defaultConfigDir: configDir,
      namedConfigDirs: [configDir],
      ownSandbox: undefined,
    };
    const items = restoreCandidates(roster, selection).map((candidate) => restoreItem(candidate, looks, around));
    assert.deepEqual(
      oneForEachConversation(items).map(({ outcome }) => (outcome.kind === "refused" ? outcome.why : outcome.kind)),
      ["resume", "being-restored"],
    );
  });
});
