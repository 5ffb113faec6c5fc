// Tooltips as Markdown: why a row says what it says, and what each source last said. Times stand as clock times,
// so that a tooltip that is shown for long does not become wrong. Text from outside is escaped.
import type { EpochMs } from "../../base/clock.ts";
import type { Sandbox, Session, SourceState } from "../../protocol/roster.ts";
import { statusWords } from "../../protocol/statusWords.ts";
import type { RosterState } from "./rosterState.ts";
import { sandboxStaleness, stalenessOf } from "./staleness.ts";

/** A time of day for people, in their own time zone. */
export type TimeFormat = (at: EpochMs) => string;

export function sessionTooltip(state: RosterState, session: Session, format: TimeFormat): string {
  const time = (at: string): string => format(Date.parse(at));
  const { liveness, status } = session;
  const stale = stalenessOf(state, session);
  const since = status.since === undefined ? "" : ` since ${time(status.since)}`;
  const until = status.until === undefined ? "" : ` until ${time(status.until)}`;
  const lines = [
    `**${escapeMarkdown(session.title)}**`,
    ...(stale === undefined ? [] : [`**Stale**: ${escapeMarkdown(stale.why)}; as of ${format(stale.asOf)}.`]),
    `Status: **${escapeMarkdown(statusWords(status, liveness))}**${since}${until}, by rule \`${code(status.rule)}\``,
    `Liveness: **${liveness.kind}**, by \`${code(liveness.source)}\`, as of ${livenessAsOf(state, session, format)}`,
    ...(session.cwd === null ? [] : [`Folder: \`${code(session.cwd)}\``]),
    "Evidence:",
  ];
  return `${lines.join("\n\n")}\n\n${evidenceList(session.evidence, format)}\n`;
}

function evidenceList(evidence: Session["evidence"], format: TimeFormat): string {
  const lines = evidence.map(
    ({ source, says, asOf }) => `- \`${code(source)}\` says ${escapeMarkdown(says)} (${format(Date.parse(asOf))})`,
  );
  return lines.length === 0 ? "- none was recorded" : lines.join("\n");
}

/** What is known of a sandbox, and by whom; none of it was asked of the sandbox itself where no adapter does that. */
export function sandboxTooltip(state: RosterState, sandbox: Sandbox, format: TimeFormat): string {
  const stale = sandboxStaleness(state, sandbox);
  const lines = [
    `**${escapeMarkdown(sandbox.name)}**`,
    ...(stale === undefined ? [] : [`**Stale**: ${escapeMarkdown(stale.why)}; as of ${format(stale.asOf)}.`]),
    sandbox.state === "unknown"
      ? "Nothing tells whether it runs, which does not mean that it does not."
      : `State: **${sandbox.state}**`,
    ...(sandbox.derived === true
      ? ["No source names it: its name here is that of its pid namespace, and another start has another one."]
      : []),
  ];
  return `${lines.join("\n\n")}\n\n${evidenceList(sandbox.evidence, format)}\n`;
}

/**
 * One source: what it last said, and when.
 * @param confirmedAt when the agent last let one know that nothing else changed; undefined while it is gone
 */
export function sourceLine(source: SourceState, confirmedAt: EpochMs | undefined, format: TimeFormat): string {
  const id = `\`${code(source.id)}\``;
  const time = (at: string): string => format(Date.parse(at));
  const answered = format(Math.max(Date.parse(source.asOf ?? source.at), confirmedAt ?? 0));
  switch (source.state) {
    case "observed":
      return `- ${id} answers, as of ${answered}`;
    case "absent":
      return `- ${id} answers that nothing is there, as of ${answered}`;
    case "unobserved": {
      const since = source.since === undefined ? "" : ` since ${time(source.since)}`;
      const last = source.asOf === undefined ? "it never answered" : `its last answer is of ${time(source.asOf)}`;
      return `- ${id} **does not answer**${since}: ${escapeMarkdown(source.cause ?? "no cause was given")}; ${last}`;
    }
  }
}

/** The agent pushes what changed, so that a fresh row holds for as long as the agent answers. */
function livenessAsOf(state: RosterState, session: Session, format: TimeFormat): string {
  const said = Date.parse(session.liveness.asOf);
  const fresh = state.kind === "live" && session.liveness.kind === "live" && !stalenessOf(state, session);
  return format(fresh ? Math.max(said, state.heardAt) : said);
}

export function escapeMarkdown(text: string): string {
  return text.replace(/[\r\n]+/g, " ").replace(/[\\`*_{}[\]()#+\-.!|<>~&$]/g, "\\$&");
}

/** Text within backticks, where nothing but a backtick ends it. */
function code(text: string): string {
  return text.replace(/[\r\n`]+/g, " ");
}
