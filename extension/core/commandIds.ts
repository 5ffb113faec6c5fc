// The extension's commands by name. The manifest lists the same; a test holds the two together.

export const commandIds = {
  openDetail: "rollcall.openDetail",
  goToTerminal: "rollcall.goToTerminal",
  openTranscript: "rollcall.openTranscript",
  why: "rollcall.why",
  copyId: "rollcall.copyId",
  refresh: "rollcall.refresh",
  openLog: "rollcall.openLog",
  forget: "rollcall.forget",
  markDeparted: "rollcall.markDeparted",
  restore: "rollcall.restore",
  restoreSandbox: "rollcall.restoreSandbox",
  restoreAll: "rollcall.restoreAll",
  restoreDropped: "rollcall.restoreDropped",
  installHooks: "rollcall.installHooks",
  uninstallHooks: "rollcall.uninstallHooks",
  groupBy: "rollcall.groupBy",
  groupBySandbox: "rollcall.groupBySandbox",
  groupByProject: "rollcall.groupByProject",
  groupByAttention: "rollcall.groupByAttention",
  groupByNone: "rollcall.groupByNone",
  // The same with a tick, in the menu's place of the one that is chosen: menus of extensions know no ticks.
  groupedBySandbox: "rollcall.groupedBySandbox",
  groupedByProject: "rollcall.groupedByProject",
  groupedByAttention: "rollcall.groupedByAttention",
  groupedByNone: "rollcall.groupedByNone",
  filter: "rollcall.filter",
  changeFilter: "rollcall.changeFilter",
  clearFilter: "rollcall.clearFilter",
} as const;

export type CommandName = keyof typeof commandIds;
