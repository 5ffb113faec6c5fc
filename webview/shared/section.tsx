// A section of the page under its heading, as a landmark that a screen reader can go to.
import type { ComponentChildren, VNode } from "preact";

export interface SectionProps {
  readonly id: string;
  readonly title: string;
  /** Stands behind the heading in small print. */
  readonly note?: string;
  readonly children: ComponentChildren;
}

export function Section({ id, title, note, children }: SectionProps): VNode {
  return (
    <section aria-labelledby={`${id}-title`} class="section" id={id}>
      <h2 id={`${id}-title`}>
        {title}
        {note === undefined ? null : <span class="note"> {note}</span>}
      </h2>
      {children}
    </section>
  );
}

/** A sentence in place of what is not there: why, never nothing. */
export function Quiet({ children }: { readonly children: ComponentChildren }): VNode {
  return <p class="quiet">{children}</p>;
}
