// Where the parts of the installed extension lie that are run as programs of their own.
import { Uri } from "vscode";

export function agentScript(extensionUri: Uri): string {
  return Uri.joinPath(extensionUri, "dist", "agent.cjs").fsPath;
}
