// The timeline as a tree: turns, newest first, and within each its tools. One row has the focus; arrows move it, Enter
// and Space open and close. Rows are keyed by what they stand for, so that the focus survives what changes around it.
import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type {
  ReadTimeline,
  SubagentTool,
  Timeline as TimelineOf,
  TimelineMark,
  TimelineTool,
  TimelineTurn,
} from "../../protocol/sessionDetail.ts";
import type { PageCommand } from "../../protocol/webviewApi.ts";
import { chevronLook, Icon, markLooks, toolLooks, turnLooks } from "../shared/icons.tsx";
import { Quiet, Section } from "../shared/section.tsx";
import { Ago, Clock, Duration } from "../shared/times.tsx";
import { moveIn } from "../shared/treeKeys.ts";
import { Action } from "./header.tsx";
import type { Disclosure } from "./disclosure.ts";
import { askedByWords, markWords, notShownWords, toolCountWords, toolStateWords, turnEndWords } from "./words.ts";

export interface TimelineProps {
  readonly timeline: TimelineOf;
  readonly disclosure: Disclosure;
  readonly run: (command: PageCommand) => void;
}

export function Timeline({ timeline, disclosure, run }: TimelineProps): VNode {
  return (
    <Section id="timeline" title="Timeline" note="newest first">
      <Content timeline={timeline} disclosure={disclosure} run={run} />
    </Section>
  );
}

function Content({ timeline, disclosure, run }: TimelineProps): VNode {
  switch (timeline.state) {
    case "reading":
      return <Quiet>Its transcript is being read…</Quiet>;
    case "none":
      return <Quiet>No transcript of this session has been seen, so no turn is known.</Quiet>;
    case "unreadable":
      return (
        <Quiet>
          Unknown: the transcript could not be read, <Ago at={timeline.at} />: {timeline.cause}.
        </Quiet>
      );
    case "read":
      return (
        <>
          {timeline.stale === undefined ? null : (
            <p class="stale">
              <strong>Stale</strong>: as read <Ago at={timeline.asOf} />; since then {timeline.stale.cause}.
            </p>
          )}
          {timeline.items.length === 0 ? (
            <Quiet>
              No turn yet, as of <Ago at={timeline.asOf} />.
            </Quiet>
          ) : (
            <Tree timeline={timeline} disclosure={disclosure} />
          )}
          <NotShown timeline={timeline} run={run} />
        </>
      );
  }
}

function NotShown({
  timeline,
  run,
}: {
  readonly timeline: ReadTimeline;
  readonly run: TimelineProps["run"];
}): VNode | null {
  const words = notShownWords(timeline.itemsDropped, timeline.bytesNotRead);
  const skipped = timeline.skipped.map(({ why, count }) => `${count} × ${why}`).join(", ");
  if (words === undefined && skipped === "") return null;
  return (
    <>
      {words === undefined ? null : (
        <p class="quiet more">
          {words}{" "}
          <Action name="openTranscript" run={run}>
            Open Transcript
          </Action>
        </p>
      )}
      {skipped === "" ? null : <p class="quiet">Read over: {skipped}.</p>}
    </>
  );
}

function Tree({ timeline, disclosure }: { readonly timeline: ReadTimeline; readonly disclosure: Disclosure }): VNode {
  const element = useRef<HTMLDivElement>(null);
  const items = timeline.items.toReversed();
  const first = items[0]?.id;
  const [held, hold] = useState<string | undefined>(undefined);
  const rows = items.flatMap((item) =>
    item.kind === "turn" && disclosure.isOpen(item.id, item.id === first)
      ? [item.id, ...item.entries.flatMap((entry) => rowsOf(`${item.id}/${entry.id}`, entry))]
      : [item.id],
  );
  // One row can be tabbed to: the one that had the focus, else the newest.
  const stop = held !== undefined && rows.includes(held) ? held : first;
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    // A row that left with the focus hands it to the tree, not to the document.
    if (hadFocus.current && document.activeElement === document.body)
      element.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  });
  const toggle = (id: string): void => disclosure.toggle(id, id === first);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (element.current === null || event.altKey || event.ctrlKey || event.metaKey) return;
    if (moveIn(element.current, event.key, toggle)) event.preventDefault();
  };
  const row = (id: string, level: number): RowFrame => ({ id, level, stop: id === stop });
  return (
    <div
      ref={element}
      role="tree"
      aria-labelledby="timeline-title"
      class="tree"
      onKeyDown={onKeyDown}
      onFocusIn={(event) => {
        hadFocus.current = true;
        const id = (event.target as HTMLElement).closest<HTMLElement>("[data-row]")?.dataset["row"];
        if (id !== undefined) hold(id);
      }}
      onFocusOut={(event) => {
        if (event.relatedTarget !== null) hadFocus.current = false;
      }}
    >
      {items.flatMap((item) => {
        if (item.kind === "mark") return [<MarkRow key={item.id} mark={item} frame={row(item.id, 1)} />];
        const isOpen = disclosure.isOpen(item.id, item.id === first);
        const turn = <TurnRow key={item.id} turn={item} frame={row(item.id, 1)} isOpen={isOpen} toggle={toggle} />;
        if (!isOpen) return [turn];
        const entries = item.entries.toReversed().flatMap((entry) => {
          const frame = row(`${item.id}/${entry.id}`, 2);
          if (entry.kind === "mark") return [<MarkRow key={frame.id} mark={entry} frame={frame} />];
          return [<ToolRow key={frame.id} tool={entry} frame={frame} />, ...subagentRows(entry, frame.id, row)];
        });
        const dropped =
          item.entriesDropped === 0
            ? []
            : [
                <p key={`${item.id}/dropped`} class="quiet level-2">
                  {item.entriesDropped} earlier entries of this turn are not shown.
                </p>,
              ];
        return [turn, ...entries, ...dropped];
      })}
    </div>
  );
}

/** The rows of an entry and of what stands below it. */
function rowsOf(id: string, entry: TimelineTool | TimelineMark): readonly string[] {
  const below = entry.kind === "tool" ? (entry.subagents?.tools ?? []) : [];
  return [id, ...below.map((tool) => `${id}/${tool.agentId}/${tool.id}`)];
}

function subagentRows(
  { subagents }: TimelineTool,
  id: string,
  row: (id: string, level: number) => RowFrame,
): readonly VNode[] {
  if (subagents === undefined) return [];
  const rows = subagents.tools.toReversed().map((tool) => {
    const frame = row(`${id}/${tool.agentId}/${tool.id}`, 3);
    return <ToolRow key={frame.id} tool={tool} frame={frame} />;
  });
  if (subagents.toolsDropped === 0) return rows;
  const dropped = (
    <p key={`${id}/dropped`} class="quiet level-3">
      {subagents.toolsDropped} earlier tools of its subagents are not shown.
    </p>
  );
  return [...rows, dropped];
}

interface RowFrame {
  readonly id: string;
  readonly level: number;
  /** The one row that Tab reaches. */
  readonly stop: boolean;
}

function frameProps({ id, level, stop }: RowFrame): Record<string, unknown> {
  return { role: "treeitem", "data-row": id, "aria-level": level, tabIndex: stop ? 0 : -1 };
}

interface TurnRowProps {
  readonly turn: TimelineTurn;
  readonly frame: RowFrame;
  readonly isOpen: boolean;
  readonly toggle: (id: string) => void;
}

function TurnRow({ turn, frame, isOpen, toggle }: TurnRowProps): VNode {
  const tools = turn.entries.filter((entry) => entry.kind === "tool");
  const open = tools.filter(({ state }) => state === "open").length;
  const asked = askedByWords[turn.askedBy];
  const hasEntries = turn.entries.length > 0;
  return (
    <div
      {...frameProps(frame)}
      {...(hasEntries ? { "aria-expanded": isOpen } : {})}
      class={`row turn level-1 ${turn.end}${hasEntries ? "" : " no-entries"}`}
      onClick={() => (hasEntries ? toggle(turn.id) : undefined)}
    >
      {hasEntries ? <Icon look={chevronLook} more={isOpen ? "twistie open" : "twistie"} /> : <span class="twistie" />}
      <Icon look={turnLooks[turn.end]} />
      <span class="what">
        {turn.prompt ?? <span class="quiet">a turn whose prompt was not read</span>}
        {asked === undefined ? null : (
          <>
            {" "}
            <span class="tag">{asked}</span>
          </>
        )}
      </span>
      <span class="clock">
        <Clock at={turn.startedAt} />
      </span>
      <span class="meta">
        <span>{turnEndWords[turn.end]}</span>
        <span>{toolCountWords(tools.length, open, turn.entriesDropped)}</span>
        {turn.end === "running" || turn.endedAt !== undefined ? (
          <Duration since={turn.startedAt} until={turn.endedAt} />
        ) : null}
      </span>
    </div>
  );
}

/** A call of the session's own, or of a subagent, which it names. */
function ToolRow({ tool, frame }: { readonly tool: TimelineTool | SubagentTool; readonly frame: RowFrame }): VNode {
  const background = "backgroundId" in tool && tool.backgroundId !== undefined ? tool : undefined;
  return (
    <div {...frameProps(frame)} class={`row tool level-${frame.level} ${tool.state}`}>
      <Icon look={toolLooks[tool.state]} more={tool.state === "open" ? "alive" : ""} />
      <span class="what">
        <span class="tool-name">{tool.tool}</span>{" "}
        {tool.about === undefined ? null : <code title={tool.about}>{tool.about}</code>}
        {"agentId" in tool ? (
          <>
            {" "}
            <span class="tag">subagent {tool.agentId}</span>
          </>
        ) : null}
      </span>
      <span class="meta">
        <span>{toolStateWords[tool.state]}</span>
        {background === undefined ? null : (
          <span>
            {background.backgroundEndedAt === undefined ? "went on in background" : "in background until "}
            {background.backgroundEndedAt === undefined ? null : <Clock at={background.backgroundEndedAt} />}
          </span>
        )}
        {tool.state === "open" || tool.endedAt !== undefined ? (
          <Duration since={tool.since} until={tool.endedAt} />
        ) : null}
        <span class="clock">
          <Clock at={tool.since} />
        </span>
      </span>
    </div>
  );
}

function MarkRow({ mark, frame }: { readonly mark: TimelineMark; readonly frame: RowFrame }): VNode {
  return (
    <div {...frameProps(frame)} class={`row mark level-${frame.level} ${mark.what}`}>
      {frame.level === 1 ? <span class="twistie" /> : null}
      <Icon look={markLooks[mark.what]} />
      <span class="what">
        {markWords[mark.what]}
        {mark.says === undefined ? "" : `: ${mark.says}`}
      </span>
      <span class="clock">
        <Clock at={mark.at} />
      </span>
    </div>
  );
}
