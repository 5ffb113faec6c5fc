// The page's end of the talk with the extension. What comes in is validated; what does not fit is told back and
// changes nothing on the page.
import { z } from "zod";
import { hostMessageSchema, type HostMessage, type PageMessage, type PageState } from "../../protocol/webviewApi.ts";

/** What VS Code gives each page, once. */
interface HostApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): HostApi;

/** What the page itself remembers beside whose page it is. */
const viewSchema = z.object({
  opened: z.array(z.string()).max(500),
  closed: z.array(z.string()).max(500),
  scroll: z.number(),
});
export type KeptView = z.infer<typeof viewSchema>;

export class Host {
  private readonly api = acquireVsCodeApi();

  /** Listens, and then asks for all that is known. */
  begin(onMessage: (message: HostMessage) => void): void {
    window.addEventListener("message", (event: MessageEvent<unknown>) => {
      const message = hostMessageSchema.safeParse(event.data);
      if (message.success) onMessage(message.data);
      else
        this.fault(`a message does not fit its contract at ${message.error.issues[0]?.path.join(".") ?? "its root"}`);
    });
    this.post({ kind: "ready" });
  }

  post(message: PageMessage): void {
    this.api.postMessage(message);
  }

  fault(says: string): void {
    this.post({ kind: "fault", says: says.slice(0, 500) });
  }

  /** Undefined also where another session was shown here before. */
  keptView(key: string): KeptView | undefined {
    const kept = z.object({ key: z.literal(key), view: viewSchema }).safeParse(this.api.getState());
    return kept.success ? kept.data.view : undefined;
  }

  keep(page: PageState, view: KeptView): void {
    this.api.setState({ ...page, view });
  }
}
