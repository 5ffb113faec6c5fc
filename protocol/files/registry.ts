// The registry of sandbox sessions, `sandbox-sessions.json`: which conversations live in which sandbox, written by
// several tools. Read tolerantly, a field of an unexpected type counts as not told. What a validator makes of an
// entry is never written back: writers change the text that is there.

export const recordedTextChars = 4096;

export const nameSources = ["user", "agent", "derived"] as const;

export type NameSource = (typeof nameSources)[number];

/** The version that is written; another one is read where it has this shape, and left as it is. */
export const registryVersion = 1;
export const emptyRegistryText = `{\n  "version": ${registryVersion},\n  "sandboxes": {}\n}\n`;
