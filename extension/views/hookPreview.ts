// The agent's settings as they are and as they would be, side by side, for whoever is asked to agree.
import { Uri, commands, workspace, type Disposable, type TextDocumentContentProvider } from "vscode";
import type { HookPlan } from "../../protocol/node/hookInstaller.ts";

const scheme = "rollcall-hooks";

export class HookPreview implements TextDocumentContentProvider, Disposable {
  private readonly registration: Disposable;
  private readonly texts = new Map<string, string>();

  constructor() {
    this.registration = workspace.registerTextDocumentContentProvider(scheme, this);
  }

  async show({ path, before, after }: HookPlan): Promise<void> {
    const [left, right] = [this.keep("before", path, before?.text), this.keep("after", path, after)];
    await commands.executeCommand("vscode.diff", left, right, "settings.json: what Rollcall would change", {
      preview: true,
    });
  }

  provideTextDocumentContent(uri: Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  dispose(): void {
    this.registration.dispose();
  }

  /** The last ones only, of each side. */
  private keep(side: "before" | "after", path: string, text = ""): Uri {
    const uri = Uri.from({ scheme, path: `/${side}/settings.json`, query: path });
    this.texts.set(uri.toString(), text);
    return uri;
  }
}
