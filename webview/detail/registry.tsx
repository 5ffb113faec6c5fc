// What the registry of sandbox sessions says of the session.
import type { VNode } from "preact";
import type { Session } from "../../protocol/roster.ts";
import { Quiet, Section } from "../shared/section.tsx";
import { Ago } from "../shared/times.tsx";

export function Registry({ registry }: Pick<Session, "registry">): VNode {
  return (
    <Section id="registry" title="Registry record">
      {registry.recorded ? (
        <p>
          Recorded.
          {registry.departedAt === undefined ? (
            ""
          ) : (
            <>
              {" "}
              Departed <Ago at={registry.departedAt} />.
            </>
          )}
          {registry.droppedAt === undefined ? (
            ""
          ) : (
            <>
              {" "}
              <strong>Dropped from the registry</strong> <Ago at={registry.droppedAt} />, by another writer.
            </>
          )}
        </p>
      ) : (
        <Quiet>The registry holds no record of this session.</Quiet>
      )}
    </Section>
  );
}
