// Groups by the folder in which a session began, by whatever name it was reached. Each folder stands for itself, so that
// two work trees of one repository are two groups. A session whose folder no source has told stands in a group that says so.
import { compareText } from "../../../base/compareText.ts";
import type { Session } from "../../../protocol/roster.ts";
import { folderName, parentFolder, tildePath } from "../folders.ts";
import { group, partition, type Group } from "./group.ts";

function projectOf(session: Pick<Session, "realStartCwd" | "startCwd" | "cwd">): string | null {
  return session.realStartCwd ?? session.startCwd ?? session.cwd;
}

export function groupByProject(sessions: readonly Session[], homeDir: string | undefined): readonly Group[] {
  const projects = [...partition(sessions, projectOf)].map(([folder, part]) =>
    folder === null ? unknownFolder(part) : projectGroup(folder, part, homeDir),
  );
  return projects.sort(
    (a, b) =>
      Number(a.id === unknownFolderId) - Number(b.id === unknownFolderId) ||
      compareText(a.label.toLowerCase(), b.label.toLowerCase()) ||
      compareText(a.id, b.id),
  );
}

const unknownFolderId = "group:project-unknown";

function projectGroup(folder: string, sessions: readonly Session[], homeDir: string | undefined): Group {
  const parent = parentFolder(folder);
  return group(`project:${folder}`, folderName(folder), "folder", {
    says: [
      ...(sessions.some(({ folderGone }) => folderGone === true) ? ["folder gone"] : []),
      ...(parent === undefined ? [] : [tildePath(parent, homeDir)]),
    ],
    context: "project",
    sessions,
  });
}

function unknownFolder(sessions: readonly Session[]): Group {
  return group("project-unknown", "Folder not known", "question", { context: "project", sessions });
}
