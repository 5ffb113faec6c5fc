// Switches the workbench between its plain light and dark themes and waits until the page shows it.
import * as vscode from "vscode";
import type { PageApi } from "../page/pageApi.ts";
import { eventually } from "../page/pageClient.ts";

/** Newest first: the default of this VS Code is the first one it has. */
const themes = {
  light: ["Light 2026", "Default Light Modern", "Visual Studio Light"],
  dark: ["Dark 2026", "Default Dark Modern", "Visual Studio Dark"],
} as const;

export async function setTheme(page: PageApi, theme: "light" | "dark"): Promise<void> {
  const known = knownThemes();
  const name = themes[theme].find((candidate) => known.has(candidate));
  const settings = vscode.workspace.getConfiguration("workbench");
  await settings.update("colorTheme", name, vscode.ConfigurationTarget.Global);
  await eventually(() => page.theme(), theme);
}

function knownThemes(): ReadonlySet<unknown> {
  const contributed = vscode.extensions.all.flatMap(({ packageJSON }) => {
    const manifest = packageJSON as { contributes?: { themes?: readonly { id?: string; label?: string }[] } };
    return manifest.contributes?.themes ?? [];
  });
  return new Set(contributed.map(({ id, label }) => id ?? label));
}
