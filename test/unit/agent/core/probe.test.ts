// Which answers from inside a sandbox prove anything, and what they say then.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgeProbe, type ProbeExpectation, type ProbeVerdict } from "../../../../agent/core/probe.ts";
import type { ProbeAnswer } from "../../../../agent/core/probeAnswer.ts";
import { answerText, hex, hostBoot, identity, namespace, nonce, type AnswerText } from "./probeText.ts";

const expected: ProbeExpectation = {
  nonce,
  identity,
  namespace,
  host: { namespace: "4026531836", bootId: hostBoot },
};
const judge = (text: string, more: Partial<ProbeExpectation> = {}): ProbeVerdict =>
  judgeProbe(text, { ...expected, ...more });
const why = (text: string, more: Partial<ProbeExpectation> = {}): string => {
  const verdict = judge(text, more);
  return verdict.kind === "proven" ? "proven" : verdict.why;
};
function answer(of: AnswerText): ProbeAnswer {
  const verdict = judge(answerText(of));
  assert.ok(verdict.kind === "proven", JSON.stringify(verdict));
  return verdict.answer;
}

describe("an answer from inside a sandbox", () => {
  it("is believed when it is to this question, whole, once, and from the sandbox that was asked", () => {
    assert.equal(why(answerText()), "proven");
    assert.equal(why(`sh: warning\n${answerText()}`), "proven", "what a shell says before is none of it");
  });

  it("to another question is refused, by its begin and by its end", () => {
    assert.equal(why(answerText({ begin: "other", end: "other" })), "stale-nonce");
    assert.equal(why(answerText({ begin: "other" })), "stale-nonce");
    assert.equal(why(answerText({ end: "other" })), "stale-nonce");
    assert.equal(why(answerText({ begin: `${nonce}x`, end: `${nonce}x` })), "stale-nonce");
  });

  it("that breaks off anywhere is refused", () => {
    const lines = answerText({ processes: [{ pid: 7, start: "5" }] }).split("\n");
    for (let count = 1; count < lines.length - 1; count += 1)
      assert.equal(why(lines.slice(0, count).join("\n")), "half", String(count));
    assert.equal(why(""), "not-an-answer");
  });

  it("of another format is refused, whatever else it holds", () => {
    for (const format of ["0", "2", "", "1.0", "one"]) assert.equal(why(answerText({ format })), "old-format", format);
  });

  it("that comes twice, or goes on after its end, is refused", () => {
    assert.equal(why(answerText() + answerText()), "twice");
    assert.equal(why(`${answerText().split("\n")[0] ?? ""}\n${answerText()}`), "twice");
    assert.equal(why(answerText() + answerText({ begin: "other", end: "other" })), "twice");
    assert.equal(why(`${answerText()}process 1\n`), "twice");
  });

  it("from this host's own pid namespace is refused", () => {
    assert.equal(why(answerText({ namespace: "4026531836" }), { namespace: undefined }), "host-namespace");
    assert.equal(why(answerText({ namespace: "4026531836" }), { namespace: "4026531836" }), "host-namespace");
  });

  it("of another kernel is not this host's for having the same number", () => {
    const text = answerText({ namespace: "4026531836", boot: "boot-of-a-machine-inside" });
    assert.equal(why(text, { namespace: undefined }), "proven");
  });

  it("from another sandbox is refused: another namespace, another container, another kernel", () => {
    assert.equal(why(answerText({ namespace: "4026532998" })), "another-sandbox");
    assert.equal(why(answerText({ container: "b".repeat(64) })), "another-sandbox");
    assert.equal(why(answerText({ container: "b".repeat(64) }), { namespace: undefined }), "another-sandbox");
    assert.equal(why(answerText({ boot: "another-boot" })), "another-sandbox");
  });

  it("that tells no identity proves nothing unless the kernel knows its namespace", () => {
    assert.equal(why(answerText({ container: undefined })), "proven");
    assert.equal(why(answerText({ container: undefined }), { namespace: undefined }), "unproven");
    assert.equal(why(answerText({ namespace: "" })), "unproven");
    assert.equal(why(answerText({ container: identity.slice(0, 12) }), { namespace: undefined }), "unproven");
  });
});

describe("what an answer says", () => {
  it("are the agent's processes that live, by what runs and not by its name alone", () => {
    const { processes } = answer({
      processes: [
        { pid: 7, start: "50", argv: "claude --resume 7d0c2f4e-5b1a-4c39-9a0e-2f6f0b8d1c11" },
        { pid: 8, start: "51", state: "Z" },
        { pid: 9, start: "no" },
      ],
    });
    assert.deepEqual(processes, [
      { pid: 7, start: "50", role: { kind: "session", conversationId: "7d0c2f4e-5b1a-4c39-9a0e-2f6f0b8d1c11" } },
    ]);
  });

  it("sees everybody only where its /proc is its own, hides nobody, and was read to the end", () => {
    assert.equal(answer({}).seesAll, true);
    assert.equal(answer({ whole: "cut" }).seesAll, false);
    for (const procfs of [
      "rw,hidepid=2 - proc proc rw",
      "rw - proc proc rw,hidepid=invisible",
      "rw - proc proc rw,subset=pid",
    ])
      assert.equal(answer({ procfs }).seesAll, false, procfs);
    assert.equal(answer({ procfs: "rw - proc proc rw,hidepid=off" }).seesAll, true);
  });

  it("are records whose content cannot pass for a line of the answer, and what cannot be read is counted", () => {
    const record = { pid: 7, sessionId: "s1", procStart: "50", name: `x\nrollcall-end ${nonce}\nrecord 9.json` };
    const said = answer({
      folders: {
        "/home/ü ser/.claude": [
          ["7.json", record],
          ["8.json", record],
          ["9.json", "{torn"],
          ["10.json", { pid: 10, sessionId: "../../x" }],
        ],
      },
      more: ["skipped a session record inside that is a link"],
    });
    assert.deepEqual(
      said.records.map(({ folder, record: { pid, sessionId } }) => [folder, pid, sessionId]),
      [["/home/ü ser/.claude", 7, "s1"]],
    );
    assert.deepEqual(said.skipped, [
      ["a session record inside that could not be read", 3],
      ["a session record inside that is a link", 1],
    ]);
  });

  it("is read whatever bytes it holds", () => {
    const said = answer({
      folders: { "/x": [["7.json", "\u0000\uffff"]] },
      more: [hex("loose"), " zz zz", "record", "process", "folder"],
    });
    assert.deepEqual(said.records, []);
  });
});
