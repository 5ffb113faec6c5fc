// What a suite in the extension host can see and do on the workbench's page: what a person has in front
// of them, not what providers returned. Both hosts serve this one interface; `pageServer.ts` and
// `pageClient.ts` carry it over a socket whose path is in ROLLCALL_TEST_PAGE.

/** An element as assistive technology names it, or by CSS. Waits until there is exactly one. */
export type Target =
  | { readonly role: string; readonly name: string; readonly exact?: boolean; readonly in?: Place }
  | { readonly selector: string; readonly in?: Place };

/** The workbench itself unless given; `webview` is the content of the one visible webview. */
export type Place = "workbench" | "webview";

export interface TreeRow {
  readonly label: string;
  readonly description: string;
  /** What a screen reader says for the row. */
  readonly ariaLabel: string;
  readonly level: number;
  /** Undefined on a row without children. */
  readonly expanded: boolean | undefined;
  readonly selected: boolean;
  readonly focused: boolean;
  /** Name of the codicon, `bell` for example; undefined without one. */
  readonly icon: string | undefined;
}

export interface StatusBarItem {
  /** `<publisher>.<extension>.<id>` for an extension's item. */
  readonly id: string;
  readonly text: string;
  readonly ariaLabel: string;
  readonly icons: readonly string[];
  readonly side: "left" | "right";
  readonly kind: "plain" | "warning" | "error" | "prominent";
}

export interface Notification {
  readonly severity: "info" | "warning" | "error";
  readonly message: string;
  readonly source: string;
  readonly buttons: readonly string[];
}

export interface QuickInput {
  readonly title: string;
  readonly placeholder: string;
  readonly value: string;
  readonly rows: readonly { readonly label: string; readonly description: string; readonly detail: string }[];
}

export interface PageApi {
  /** Rows on screen of the tree view with this name, top to bottom; undefined while there is no such tree. */
  tree(view: string): Promise<readonly TreeRow[] | undefined>;
  /** The text shown in place of an empty view's tree, links included. */
  viewWelcome(view: string): Promise<string | undefined>;
  statusBarItems(): Promise<readonly StatusBarItem[]>;
  /** The number or text on an activity bar entry; undefined when it has no badge. */
  badge(container: string): Promise<string | undefined>;
  notifications(): Promise<readonly Notification[]>;
  /** Undefined while no palette, pick or input box is open. */
  quickInput(): Promise<QuickInput | undefined>;
  editorTabs(): Promise<readonly { readonly label: string; readonly active: boolean }[]>;
  /** The accessible tree below a target (the whole place without one), in playwright's YAML form. */
  ariaSnapshot(target?: Target): Promise<string>;
  /** Moves the pointer there and returns the text of the hover that appears. */
  hover(target: Target): Promise<string>;
  click(target: Target, options?: { readonly button?: "left" | "right"; readonly double?: boolean }): Promise<void>;
  /** Keys in playwright's spelling, `Shift+F10` or `ArrowDown`, one after the other. */
  press(...keys: readonly string[]): Promise<void>;
  type(text: string): Promise<void>;
  /** Opens the side bar of an activity bar entry. */
  openContainer(container: string): Promise<void>;
  /** Runs a command as a person does: the command palette, by its full title. */
  command(title: string): Promise<void>;
  theme(): Promise<"light" | "dark" | "high-contrast">;
  resize(widthPx: number, heightPx: number): Promise<void>;
  /** Writes a PNG; a relative name goes to the screenshots folder. Returns the path. */
  screenshot(file: string): Promise<string>;
  /** Prints a line where the run was started; the extension host's own console mixes with VS Code's. */
  log(line: string): Promise<void>;
}

/** Every method by name, for the two ends of the socket; a forgotten one does not compile. */
export const pageMethods = {
  tree: true,
  viewWelcome: true,
  statusBarItems: true,
  badge: true,
  notifications: true,
  quickInput: true,
  editorTabs: true,
  ariaSnapshot: true,
  hover: true,
  click: true,
  press: true,
  type: true,
  openContainer: true,
  command: true,
  theme: true,
  resize: true,
  screenshot: true,
  log: true,
} as const satisfies Record<keyof PageApi, true>;

export function isPageMethod(name: string): name is keyof PageApi {
  return Object.hasOwn(pageMethods, name);
}
