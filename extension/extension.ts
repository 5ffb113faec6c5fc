// Entry of the extension: starts it and stops it.
import type { ExtensionContext } from "vscode";
import { startExtension, type RunningExtension } from "./container.ts";

let running: RunningExtension | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  running = await startExtension(context);
}

export async function deactivate(): Promise<void> {
  await running?.stop();
  running = undefined;
}
