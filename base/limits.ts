// Every limit of the product, in one place: what grows has a bound, every outside call a deadline.

const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  /** One message on the agent's socket; a larger one ends the connection. */
  rpcMessageBytes: 32 * MiB,
  /** Bytes a client may leave unread before it is dropped. */
  rpcBacklogBytes: 64 * MiB,
  rpcClients: 64,
  rpcDeadlineMs: 10_000,

  /** One line of a transcript; a longer one is skipped as one, and counted. */
  transcriptLineBytes: 8 * MiB,
  /** Read from a transcript's start: folder, first prompt, time. */
  transcriptHeadBytes: 64 * KiB,
  /** How far the start is read for a folder that stands behind large records. */
  transcriptHeadCapBytes: 1 * MiB,
  /** First look at a transcript's end; doubled until a turn boundary is seen, up to the cap. */
  transcriptTailBytes: 64 * KiB,
  transcriptTailCapBytes: 8 * MiB,
  transcriptReadBytes: 256 * KiB,
  /** Compared at the start and before the offset, to tell a file that grew from another one. */
  transcriptFingerprintBytes: 256,
  /** Transcripts followed at once in one config folder; the most recent ones. */
  transcriptsFollowed: 2_000,
  /** Calls, results and tasks remembered per transcript. */
  openCallsPerTranscript: 500,
  /** Records of a transcript by which one that comes again is known. */
  recordsRemembered: 64,
  /** Transcripts shown of one config folder: those that somebody works on, then the newest of a day. */
  transcriptsShown: 10_000,
  transcriptReadsAtOnce: 8,
  /** The tail of a transcript that is read once and not followed. */
  glanceTailBytes: 256 * KiB,
  /** All transcripts that are read on request; what is not read by then is shown by its name. */
  readAllDeadlineMs: 20_000,
  /** Files that nobody follows, looked at in each round: how soon a change without an event is seen. */
  quietLooksPerRound: 200,
  fileLooksAtOnce: 32,
  folderListsAtOnce: 3,
  /** Folders below one project folder that are looked into for transcripts. */
  nestedFolders: 32,
  /** Subagents followed of one session, those that have not finished; the newest. */
  subagentsPerSession: 64,
  /** Files looked at below one session's folder to find them, and how deep they may lie. */
  subagentFilesPerSession: 2_000,
  subagentDepth: 4,
  /** Sessions whose folder of subagents is watched; those of others are polled. */
  subagentFoldersWatched: 100,
  subagentMetaBytes: 64 * KiB,

  pidRecordBytes: 64 * KiB,
  pidRecordsPerFolder: 5_000,
  fileReadDeadlineMs: 5_000,
  /** Work of several steps on one file, such as a transcript read from its end. */
  fileWorkDeadlineMs: 30_000,
  /** Config folders that only sandboxes have, watched at once; and files in one folder of such a one. */
  sandboxFolders: 64,
  sandboxFolderEntries: 20_000,
  /** A config folder's path as a process names it. */
  configDirChars: 1_024,
  /** Config folders that clients named or processes showed, watched at once. */
  addedFolders: 128,

  processLooksAtOnce: 16,
  processTableDeadlineMs: 5_000,
  processTableOutputBytes: 64 * MiB,
  processesRemembered: 2_000,
  namespacesRemembered: 500,
  procFileBytes: 256 * KiB,

  /** Kept of each session's status, and for how many sessions. */
  statusChangesPerSession: 50,
  statusHistories: 500,
  /** Sessions that one client watches closely at a time. */
  watchedSessionsPerClient: 16,
  /** Turns and other things that a timeline holds, and entries within one turn; the newest ones. */
  timelineItems: 60,
  timelineEntriesPerTurn: 200,
  /** First look at a transcript's end for its timeline; doubled until that many turns were seen, up to the cap. */
  timelineTailBytes: 512 * KiB,
  timelineTailCapBytes: 8 * MiB,
  /** Subagents whose tools stand in their session's timeline, those written last; and tools under one call. */
  timelineSubagents: 32,
  timelineSubagentTools: 100,
  /** The registry of sandbox sessions, and the snapshot beside it. */
  registryBytes: 32 * MiB,
  /** A whole attempt to read it, further tries of a torn one included. */
  registryLoadDeadlineMs: 5_000,
  /** Many may write at once, each of whom syncs the disk a few times. */
  registryLockDeadlineMs: 30_000,
  /** Writers of other tools that were in between, each a reason to merge again. */
  registryWriteAttempts: 8,
  /** Earlier contents that are kept, the newest ones. */
  registryGenerations: 20,
  /** Contents of the registry that its journal holds, all together; the newest is held whatever its size. */
  journalGenerations: 500,
  journalBytes: 64 * MiB,
  /** Its lines; when they grew so far they begin anew with what they say together. */
  journalLogBytes: 8 * MiB,
  journalLogReadBytes: 256 * MiB,
  journalLockDeadlineMs: 10_000,
  /** Entries that one line of it names of each kind; how many there were is told all the same. */
  journalNames: 20,
  /** Writes that could not be done and wait, and the last of those that do not wait any more. */
  keptIntents: 1_000,
  keptIntentsBytes: 32 * MiB,
  settledIntents: 50,
  /** Rows of one registry; what departed is left out first. */
  recordedSessions: 20_000,
  emptySandboxes: 1_000,

  /** Files looked at in one look at a spool, and events taken from one within a minute; and all spools. */
  spoolFilesPerLook: 12_000,
  spoolEventsPerMinute: 60_000,
  hookSpools: 500,
  /** What is kept of a spool's sessions, and of each of them; the newest ones. */
  hookSessionsPerSpool: 500,
  hookNotesPerKind: 8,
  hookAsksPerSession: 32,
  hookCallsPerSession: 200,
  hookAgentsPerSession: 64,
  hookFactsBytes: 32 * MiB,
  /** A settings file of the coding agent. */
  settingsBytes: 4 * MiB,
  /** Sandboxes of one adapter; and those that left its list, whose names are kept. */
  sandboxesPerAdapter: 1_000,
  goneSandboxes: 500,
  /** One answer of a container engine, and how long it may take. */
  engineAnswerBytes: 16 * MiB,
  engineDeadlineMs: 3_000,
  engineListDeadlineMs: 20_000,
  engineEventBytes: 256 * KiB,
  engineCallsAtOnce: 4,
  /** One call of the `sbx` command: asked to end, then ended. */
  sbxCallMs: { orderly: 18_000, deadline: 20_000 },
  sbxAnswerBytes: 4 * MiB,
  /** One probe into a sandbox; how many run at once; what it may bring back. */
  probeDeadlineMs: 5_000,
  probesAtOnce: 4,
  probeAnswerBytes: 2 * MiB,
  probedProcesses: 200,
  probedFolders: 8,
  probedRecords: 64,
  probedRecordBytes: 16 * KiB,
  /** Sessions kept of one sandbox's probes, those that ended included. */
  probedSessions: 200,

  titleChars: 120,
  /** Rows of the tree that a person opened or closed. */
  openNodesRemembered: 2_000,
  evidencePerRow: 12,
  skippedEntries: 200,

  /** Transcripts of which what they said is kept for the next look; the newest reads. */
  keptReads: 5_000,
  keptReadsBytes: 32 * MiB,

  lockFileBytes: 4 * KiB,
  lastKnownBytes: 32 * MiB,
  logFileBytes: 1 * MiB,
  logFiles: 3,
  logLineChars: 2_000,
} as const;

/** The begin of 2020, before any coding agent: an earlier time of a file was not told in milliseconds. */
export const earliestToldMs = 1_577_836_800_000;

/** The last moment of the year 9999: what comes after it has no ISO 8601 form that every reader takes. */
export const latestShownMs = 253_402_300_799_999;

/** How often each source is looked at; it is stale when older than three of these. */
export const periods = {
  processTableMs: 15_000,
  /** Known processes; the kernel is asked more often, since one look costs microseconds. */
  procMs: 3_000,
  procGlanceMs: { least: 200, most: 700 },
  polledFolderMs: 5_000,
  /** Spools, where no file event tells: those of a sandbox come through a mount that may have none. */
  hookSpoolMs: 2_000,
  /** File events do not come from a folder that only a sandbox has. */
  sandboxFolderMs: 1_000,
  /**
   * Probes into one sandbox: while sessions live in it that only a probe finds, while none do, while this kernel shows
   * them all, on request, and after those that failed.
   */
  probeMs: 15_000,
  podmanProbeMs: 60_000,
  quietProbeMs: 60_000,
  seenProbeMs: 300_000,
  probeRestMs: 3_000,
  probeBackoffMs: { firstMs: 15_000, ceilingMs: 300_000 },
  /** Lists of sandboxes, by adapter: an engine answers at once, another one takes seconds for each call. */
  sandboxListMs: { docker: 5_000, podman: 5_000, sbx: 15_000, namespaces: 15_000, other: 15_000 },
} as const;

export const staleAfterPeriods = 3;

/** What nobody touched for so long is listed only on request. */
export const recentMs = 86_400_000;
