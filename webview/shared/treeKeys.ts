// Keys in a tree, as VS Code's own trees take them. It works on the rows that are on the page, in their order.

/**
 * @param toggle opens or closes a row
 * @returns whether the key meant something here
 */
export function moveIn(tree: HTMLElement, key: string, toggle: (row: string) => void): boolean {
  const rows = [...tree.querySelectorAll<HTMLElement>("[data-row]")];
  const index = rows.findIndex((row) => row === document.activeElement);
  const row = rows[index];
  if (row === undefined) return false;
  const id = row.dataset["row"] ?? "";
  const expanded = row.getAttribute("aria-expanded");
  const level = levelOf(row);
  switch (key) {
    case "ArrowDown":
      return focus(rows[index + 1]);
    case "ArrowUp":
      return focus(rows[index - 1]);
    case "Home":
      return focus(rows[0]);
    case "End":
      return focus(rows.at(-1));
    case "ArrowRight":
      if (expanded === "false") toggle(id);
      else if (expanded === "true") focus(rows[index + 1]);
      return true;
    case "ArrowLeft":
      if (expanded === "true") toggle(id);
      else focus(rows.slice(0, index).findLast((above) => levelOf(above) < level));
      return true;
    case "Enter":
    case " ":
      if (expanded !== null) toggle(id);
      return true;
    default:
      return false;
  }
}

function levelOf(row: HTMLElement): number {
  return Number(row.getAttribute("aria-level"));
}

function focus(row: HTMLElement | undefined): boolean {
  row?.focus();
  return true;
}
