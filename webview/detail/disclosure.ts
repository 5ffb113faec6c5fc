// Which rows are open: the newest by itself, every other as the user left it. Kept over a reload of the window.

export interface Choices {
  readonly opened: readonly string[];
  readonly closed: readonly string[];
}

export interface Disclosure {
  isOpen(id: string, byDefault: boolean): boolean;
  toggle(id: string, byDefault: boolean): void;
}

/** The oldest choices go first when there are too many. */
const choicesAtMost = 200;

export function isOpenBy({ opened, closed }: Choices, id: string, byDefault: boolean): boolean {
  return opened.includes(id) || (byDefault && !closed.includes(id));
}

export function toggled(choices: Choices, id: string, byDefault: boolean): Choices {
  const open = isOpenBy(choices, id, byDefault);
  const opened = choices.opened.filter((other) => other !== id);
  const closed = choices.closed.filter((other) => other !== id);
  return open
    ? { opened, closed: [...closed, id].slice(-choicesAtMost) }
    : { opened: [...opened, id].slice(-choicesAtMost), closed };
}
