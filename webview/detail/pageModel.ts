// What the page knows, as a pure machine over what the extension says. What was shown once stays, with its age, until
// something else is told.
import { unreachable } from "../../base/errors.ts";
import type { SessionDetail } from "../../protocol/sessionDetail.ts";
import { applyDetailChange } from "../../protocol/sessionDetailChange.ts";
import type { AgentLink, HostMessage } from "../../protocol/webviewApi.ts";

export type PageModel =
  /** Nothing of the session is known; `refused` says why, once the agent said so. */
  | { readonly kind: "nothing"; readonly link: AgentLink; readonly refused: string | undefined }
  | { readonly kind: "shown"; readonly link: AgentLink; readonly detail: SessionDetail };

export const emptyPage: PageModel = { kind: "nothing", link: { state: "connecting" }, refused: undefined };

export function hear(page: PageModel, message: HostMessage): PageModel {
  const { link } = message;
  switch (message.kind) {
    case "detail":
      return { kind: "shown", link, detail: message.detail };
    case "change":
      return page.kind === "shown"
        ? { kind: "shown", link, detail: applyDetailChange(page.detail, message.change) }
        : { ...page, link };
    case "link":
      return { ...page, link };
    case "nothing":
      return page.kind === "shown" ? { ...page, link } : { kind: "nothing", link, refused: message.refused };
    default:
      return unreachable(message);
  }
}
