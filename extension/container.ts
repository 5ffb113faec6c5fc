// Composition root of the extension: constructs everything and connects it. What a part needs is handed to it by
// name; nothing reaches back into this file.
import { homedir } from "node:os";
import { join } from "node:path";
import { commands, window, workspace, type ExtensionContext } from "vscode";
import { DisposableList } from "../base/disposable.ts";
import { nodeScheduler } from "../base/node/nodeScheduler.ts";
import { rollcallPaths } from "../base/node/paths.ts";
import type { RestoreSelection } from "../protocol/restore.ts";
import { spoolNameOf } from "../protocol/hookSpool.ts";
import { connectOrLaunch } from "../protocol/node/agentLauncher.ts";
import { AgentConnection } from "./agent/connection.ts";
import { LastRosterStore } from "./agent/lastRosterStore.ts";
import { agentScript } from "./agent/locate.ts";
import { processAncestry } from "./agent/processParents.ts";
import { SessionWatches } from "./agent/sessionWatches.ts";
import { agentEnvironment, claudePath, watchedConfigDirs } from "./agent/settings.ts";
import { clearFilter, filter } from "./commands/filter.ts";
import { groupBy, groupByOne } from "./commands/groupBy.ts";
import { copyId } from "./commands/copyId.ts";
import { forget } from "./commands/forget.ts";
import { hookCommand } from "./commands/installHooks.ts";
import { markDeparted } from "./commands/markDeparted.ts";
import { goToTerminal } from "./commands/goToTerminal.ts";
import { openDetail } from "./commands/openDetail.ts";
import { openLog } from "./commands/openLog.ts";
import { openTranscript } from "./commands/openTranscript.ts";
import { refresh } from "./commands/refresh.ts";
import { restore } from "./commands/restore.ts";
import { restoreAll } from "./commands/restoreAll.ts";
import { restoreSandbox } from "./commands/restoreSandbox.ts";
import { restoreDropped } from "./commands/restoreDropped.ts";
import { sessionTarget } from "./commands/sessionTarget.ts";
import { why } from "./commands/why.ts";
import type { Grouping } from "./core/arrangement.ts";
import { registerCommands } from "./contributions/commands.ts";
import { ContextKeySetter } from "./contributions/contextKeys.ts";
import { commandIds } from "./core/commandIds.ts";
import { DropNotice, showDropped } from "./notify/dropNotice.ts";
import { DetailPanels } from "./panels/detailPanels.ts";
import { RestoreRun } from "./restore/restoreRun.ts";
import { RestoreTerminals } from "./restore/restoreTerminals.ts";
import { StatusItem } from "./status/statusItem.ts";
import { Painter } from "./views/painter.ts";
import { SessionsTree, sessionsViewId } from "./views/sessionsTree.ts";
import { RestorableContext } from "./views/restorableContext.ts";
import { HookPreview } from "./views/hookPreview.ts";
import { TreeArrangement } from "./views/treeArrangement.ts";
import { WelcomeContext } from "./views/welcome.ts";
import { WhyDocuments } from "./views/whyDocuments.ts";

/** Every transcript may be looked for. */
const restorePlanDeadlineMs = 120_000;

export interface RunningExtension {
  /** Lets go of everything, after the last roster was kept. */
  stop(): Promise<void>;
}

export async function startExtension(context: ExtensionContext): Promise<RunningExtension> {
  const parts = new DisposableList();
  // First in, so that it goes last.
  const log = parts.add(window.createOutputChannel("Rollcall", { log: true }));
  const scheduler = nodeScheduler;
  const paths = rollcallPaths(process.env);
  const version = String((context.extension.packageJSON as { readonly version?: unknown }).version);
  const store = new LastRosterStore({ folder: context.globalStorageUri.fsPath, scheduler, log });

  const connection = parts.add(
    new AgentConnection({
      connect: (configDirs, onChange) =>
        connectOrLaunch({
          paths,
          agentScript: agentScript(context.extensionUri),
          identity: { name: "vscode", version, configDirs },
          onChange,
          env: agentEnvironment(process.env, workspace.getConfiguration("rollcall")),
        }),
      configDirs: () => watchedConfigDirs(process.env, workspace.getConfiguration("rollcall")),
      last: await store.read(),
      scheduler,
      random: Math.random,
      log,
    }),
  );
  const state = (): typeof connection.state => connection.state;

  const keys = new ContextKeySetter();
  const arrangement = new TreeArrangement({
    settings: () => workspace.getConfiguration("rollcall"),
    keys,
    homeDir: homedir(),
    onChange: () => painter.paint(),
  });
  const tree = parts.add(
    new SessionsTree({ viewId: sessionsViewId, format: timeOfDay, arrangement: () => arrangement.current }),
  );
  const whyDocuments = parts.add(new WhyDocuments({ state, latest: () => connection.latest(), scheduler, log }));
  const watches = parts.add(new SessionWatches({ onAgent: (listener) => connection.onAgent(listener), log }));
  const details = parts.add(
    new DetailPanels({
      extensionUri: context.extensionUri,
      watches,
      state,
      scheduler,
      run: (command, session) => void commands.executeCommand(commandIds[command], { session }),
      log,
    }),
  );
  const surfaces = [
    tree,
    details,
    parts.add(new StatusItem(timeOfDay)),
    new WelcomeContext(keys),
    new RestorableContext(keys),
    whyDocuments,
  ];
  const painter: Painter = parts.add(new Painter({ surfaces, state, scheduler, log }));

  const target = sessionTarget({ state, sessionOf: (id) => tree.sessionOf(id), scheduler });
  const grouping = {
    current: () => arrangement.current.grouping,
    groupBy: (wanted: Grouping) => arrangement.groupBy(wanted),
  };
  const filtering = {
    current: () => arrangement.current.filter,
    filterBy: (text: string) => arrangement.filterBy(text),
    counts: () => tree.filterCounts,
  };
  const restores = new RestoreRun({
    state,
    plan: (selection) => connection.ask("restore/plan", selection, restorePlanDeadlineMs),
    release: (ids) => connection.ask("restore/release", { ids: [...ids] }),
    terminals: new RestoreTerminals({
      state,
      onState: (listener) => connection.onState(listener),
      scheduler,
      program: () => claudePath(workspace.getConfiguration("rollcall")),
    }),
    log,
  });
  const bringBack = (selection: RestoreSelection): Promise<void> => restores.restore(selection);
  const hookOptions = {
    env: process.env,
    configDirs: () => watchedConfigDirs(process.env, workspace.getConfiguration("rollcall")),
    place: { dataDir: paths.dataDir, spoolFolder: join(paths.spool, spoolNameOf(process.env)) },
    preview: parts.add(new HookPreview()),
    clock: scheduler,
  };
  const handlers = {
    openDetail: openDetail({ target, open: (session, how) => details.open(session, how) }),
    goToTerminal: goToTerminal({ target, ancestryOf: processAncestry }),
    openTranscript: openTranscript(target),
    why: why({ target, open: (session) => whyDocuments.open(session) }),
    copyId: copyId(target),
    refresh: refresh(() => connection.refresh()),
    installHooks: hookCommand("install", hookOptions),
    uninstallHooks: hookCommand("uninstall", hookOptions),
    openLog: openLog({ agentLogFile: paths.logFile, log }),
    forget: forget({
      target,
      state,
      write: (id) => connection.ask("registry/forget", id),
      undo: ({ session, sandbox }) => connection.ask("registry/restore", { sessions: [session], sandbox }),
    }),
    markDeparted: markDeparted({
      target,
      state,
      write: (id) => connection.ask("registry/depart", id),
    }),
    restore: restore({ target, restore: bringBack }),
    restoreSandbox: restoreSandbox({ state, sandboxOf: (id) => tree.sandboxOf(id), restore: bringBack }),
    restoreAll: restoreAll(bringBack),
    restoreDropped: restoreDropped({
      target,
      state,
      write: (request) => connection.ask("registry/restore", request),
    }),
    groupBy: groupBy(grouping),
    groupBySandbox: groupByOne("sandbox", grouping),
    groupByProject: groupByOne("project", grouping),
    groupByAttention: groupByOne("attention", grouping),
    groupByNone: groupByOne("none", grouping),
    groupedBySandbox: groupByOne("sandbox", grouping),
    groupedByProject: groupByOne("project", grouping),
    groupedByAttention: groupByOne("attention", grouping),
    groupedByNone: groupByOne("none", grouping),
    filter: filter(filtering),
    changeFilter: filter(filtering),
    clearFilter: clearFilter(filtering),
  };
  for (const registration of registerCommands(handlers, log)) parts.add(registration);

  const dropNotice = parts.add(
    new DropNotice({
      mayTell: () => connection.ask("registry/tellOfDrops", {}),
      restore: () => handlers.restoreDropped(undefined),
      show: showDropped(sessionsViewId, (text) => arrangement.filterBy(text)),
      format: timeOfDay,
      scheduler,
      log,
    }),
  );
  parts.add(
    connection.onState((next) => {
      dropNotice.note(next);
      painter.paintSoon();
      store.keep(next);
    }),
  );
  parts.add(
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("rollcall.configDirs")) void connection.reconnect();
      if (change.affectsConfiguration("rollcall.groupBy")) arrangement.settingsChanged();
    }),
  );
  painter.paint();
  void connection.reconnect();
  return {
    async stop() {
      await store.flush();
      parts.dispose();
    },
  };
}

/** With the date where it is of another day. */
function timeOfDay(at: number): string {
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(undefined, { ...(today ? {} : { dateStyle: "short" }), timeStyle: "medium" });
}
