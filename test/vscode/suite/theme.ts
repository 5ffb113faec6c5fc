// Switches the workbench between its plain light and dark themes and waits until the page shows it.
import * as vscode from "vscode";
import type { PageApi } from "../page/pageApi.ts";
import { eventually } from "../page/pageClient.ts";

/** Names that every supported VS Code knows: newer ones map the older name. */
const themes = { light: "Visual Studio Light", dark: "Visual Studio Dark" } as const;

export async function setTheme(page: PageApi, theme: "light" | "dark"): Promise<void> {
  const settings = vscode.workspace.getConfiguration("workbench");
  await settings.update("colorTheme", themes[theme], vscode.ConfigurationTarget.Global);
  await eventually(() => page.theme(), theme);
}
