// What the row rests on: each source with its words, when it said them and what time they speak of. A source that does
// not answer is marked, with its cause.
import type { VNode } from "preact";
import type { Evidence as EvidenceOf, SourceState } from "../../protocol/roster.ts";
import type { SessionDetail } from "../../protocol/sessionDetail.ts";
import { Icon, warningLook } from "../shared/icons.tsx";
import { Quiet, Section } from "../shared/section.tsx";
import { Ago } from "../shared/times.tsx";

/** Times so near to each other are told once. */
const nearMs = 60_000;

export function Evidence({ detail }: { readonly detail: SessionDetail }): VNode {
  const { evidence } = detail.session;
  const silent = detail.sources.filter(({ state }) => state === "unobserved");
  return (
    <Section id="evidence" title="Evidence">
      {evidence.length === 0 ? (
        <Quiet>No source has said anything of this session.</Quiet>
      ) : (
        <ul class="list">
          {evidence.map((each, index) => (
            <li key={`${each.source} ${index}`} class="entry">
              <Told evidence={each} source={silent.find(({ id }) => id === each.source)} />
            </li>
          ))}
        </ul>
      )}
      {silent.length === 0 ? (
        <Quiet>Every source that could tell of this session answers.</Quiet>
      ) : (
        <>
          <h3>Sources that do not answer</h3>
          <ul class="list">
            {silent.map((source) => (
              <li key={source.id} class="entry">
                <Silent source={source} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

function Told({
  evidence,
  source,
}: {
  readonly evidence: EvidenceOf;
  readonly source: SourceState | undefined;
}): VNode {
  const { at, asOf } = evidence;
  return (
    <>
      <p class="line">
        <code class="words">{evidence.source}</code>
        <span class="clock">
          {source === undefined ? "" : <strong>stale, </strong>}
          <Ago at={at} />
        </span>
      </p>
      <p>{evidence.says}</p>
      {Math.abs(Date.parse(at) - Date.parse(asOf)) < nearMs ? null : (
        <p class="quiet">
          speaks of <Ago at={asOf} />
        </p>
      )}
    </>
  );
}

function Silent({ source }: { readonly source: SourceState }): VNode {
  return (
    <>
      <p class="line">
        <Icon look={warningLook} />
        <code class="words">{source.id}</code>
        <span class="clock">
          {source.asOf === undefined ? (
            "it never answered"
          ) : (
            <>
              last answer <Ago at={source.asOf} />
            </>
          )}
        </span>
      </p>
      <p>{source.cause ?? "no cause was given"}</p>
    </>
  );
}
