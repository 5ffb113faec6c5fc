// The extension's commands by name. The manifest lists the same; a test holds the two together.

export const commandIds = {
  goToTerminal: "rollcall.goToTerminal",
  openTranscript: "rollcall.openTranscript",
  why: "rollcall.why",
  copyId: "rollcall.copyId",
  refresh: "rollcall.refresh",
  openLog: "rollcall.openLog",
} as const;

export type CommandName = keyof typeof commandIds;
