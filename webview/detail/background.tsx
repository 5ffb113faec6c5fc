// What runs beside the session's turns: its subagents with their open calls, and background tasks.
import type { VNode } from "preact";
import type { Session } from "../../protocol/roster.ts";
import { backgroundLook, Icon, subagentLook, toolLooks } from "../shared/icons.tsx";
import { Quiet, Section } from "../shared/section.tsx";
import { Duration } from "../shared/times.tsx";

export function Background({ session }: { readonly session: Session }): VNode {
  const tasks = session.background.filter(({ id }) => !session.subagents.some((subagent) => subagent.id === id));
  return (
    <Section id="background" title="Subagents and background">
      {session.subagents.length + tasks.length === 0 ? (
        <Quiet>None runs, by what was read of the transcript.</Quiet>
      ) : (
        <ul class="list">
          {session.subagents.map((subagent) => (
            <li key={subagent.id} class="entry">
              <p class="line">
                <Icon look={subagentLook} />
                <span class="words">
                  Subagent <code>{subagent.id}</code>
                </span>
                <span class="clock">{subagent.status}</span>
              </p>
              {subagent.openTurns.map((turn) => (
                <p key={turn.toolUseId} class="line nested">
                  <Icon look={toolLooks[turn.abandoned ? "abandoned" : "open"]} />
                  <span class="words">{turn.tool}</span>
                  <span class="clock">
                    {turn.abandoned ? "abandoned" : <Duration since={turn.since} until={undefined} />}
                  </span>
                </p>
              ))}
            </li>
          ))}
          {tasks.map((task) => (
            <li key={task.id} class="entry">
              <p class="line">
                <Icon look={backgroundLook} />
                <span class="words">
                  {taskWords[task.kind]} <code>{task.id}</code>
                </span>
                <span class="clock">
                  {task.since === undefined ? "running" : <Duration since={task.since} until={undefined} />}
                </span>
              </p>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const taskWords = {
  shell: "Shell",
  subagent: "Subagent",
  monitor: "Monitor",
  other: "Task",
} as const satisfies Record<Session["background"][number]["kind"], string>;
