// The document that a page begins with. Its policy lets it load one style sheet, run one script, and nothing else: no
// network, no inline style, no evaluated text.

export interface WebviewHtml {
  readonly title: string;
  readonly script: string;
  readonly style: string;
  /** What the host serves the extension's own files under. */
  readonly cspSource: string;
  /** Fresh for each document. */
  readonly nonce: string;
}

export function webviewHtml({ title, script, style, cspSource, nonce }: WebviewHtml): string {
  const policy = `default-src 'none'; style-src ${cspSource}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escapeHtml(style)}">
<title>${escapeHtml(title)}</title>
</head>
<body>
<div id="page"><p class="quiet">Asking the agent…</p></div>
<script nonce="${escapeHtml(nonce)}" src="${escapeHtml(script)}"></script>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
