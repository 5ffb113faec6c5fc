// Which config folder a process uses, by the name that its environment gives: one of this host, or one that only its
// sandbox has, such as a home of its own. Names are resolved in the process' own root, never here. A folder of the host
// that a sandbox sees under another name is recognised as the same, so that nothing is shown twice.
import { constants, readlinkSync, type BigIntStats } from "node:fs";
import { open, realpath, stat, type FileHandle } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorCode, rollcallError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { openFolderIn } from "../../base/node/beneath.ts";
import { Patience } from "../../base/node/patience.ts";
import type { FolderFiles } from "./folderFiles.ts";
import { HeldFolder } from "./heldFolder.ts";
import { readProcStat } from "./procStat.ts";
import { sandboxFiles } from "./sandboxFiles.ts";

export interface FolderAsker {
  readonly pid: number;
  readonly startToken: string;
  readonly namespace: string | undefined;
}

interface SandboxFolder {
  readonly configDir: string;
  /** As the sandbox names it. */
  readonly path: string;
  readonly asker: FolderAsker;
  readonly mountNamespace: string;
  identity: string | undefined;
  held: HeldFolder | undefined;
  /** One look at a time opens it. */
  opening: Promise<HeldFolder> | undefined;
}

export class ConfigFolders {
  private readonly sandboxed = new Map<string, SandboxFolder>();
  private readonly patience = new Map<string, Patience>();
  private readonly onHost = new Patience("a folder of this host", limits.fileReadDeadlineMs);
  private readonly watched: () => readonly string[];
  private readonly overLimit = new Set<string>();

  /** @param watched the folders of this host that are watched */
  constructor(watched: () => readonly string[]) {
    this.watched = watched;
  }

  /**
   * The folder's name in the roster.
   * @param path absolute, as the process names it
   * @throws the system's error where the process may not be asked or its folder not be opened
   */
  async find(asker: FolderAsker, path: string): Promise<string> {
    const mountNamespace = readlinkSync(`/proc/${asker.pid}/ns/mnt`);
    const ownRoot = readlinkSync(`/proc/${asker.pid}/root`) === "/";
    if (ownRoot && mountNamespace === readlinkSync("/proc/self/ns/mnt")) return this.hostPath(path);
    const known = [...this.sandboxed.values()].find(
      (folder) => folder.mountNamespace === mountNamespace && folder.path === path && ownRoot,
    );
    if (known?.held !== undefined) return known.configDir;
    return this.patienceFor(mountNamespace).wait(() => this.findInSandbox(asker, mountNamespace, path));
  }

  /** Folders of sandboxes that are not asked for, since there are too many. */
  get leftOut(): ReadonlySet<string> {
    return this.overLimit;
  }

  /** Undefined for a folder of this host. */
  filesOf(configDir: string): FolderFiles | undefined {
    const folder = this.sandboxed.get(configDir);
    return folder === undefined ? undefined : sandboxFiles(configDir, () => this.heldOf(folder));
  }

  async release(configDir: string): Promise<void> {
    const folder = this.sandboxed.get(configDir);
    this.sandboxed.delete(configDir);
    // Whoever still needs one is asked again and finds a place, or none.
    this.overLimit.clear();
    await folder?.held?.leave();
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.sandboxed.keys()].map((configDir) => this.release(configDir)));
  }

  private async findInSandbox(asker: FolderAsker, mountNamespace: string, path: string): Promise<string> {
    const root = await openRoot(asker);
    try {
      const found = await openNearest(root, path);
      const identity = identityOf(await found.handle.stat({ bigint: true }));
      const sameHere = await this.sameOnHost(found.path, identity);
      if (sameHere !== undefined) {
        await found.handle.close();
        return await this.hostPath(join(sameHere, path.slice(found.path.length)));
      }
      if (found.path !== path) {
        await found.handle.close();
        return this.sandboxFolder(asker, mountNamespace, path, undefined).configDir;
      }
      const other = await this.watchedFolder(identity);
      if (other !== undefined) {
        await found.handle.close();
        return other;
      }
      const folder = this.sandboxFolder(asker, mountNamespace, path, identity);
      if (folder.held === undefined) {
        folder.held = new HeldFolder(found.handle);
        folder.identity = identity;
      } else await found.handle.close();
      return folder.configDir;
    } finally {
      await root.close();
    }
  }

  /** The folder under the same name here, if it is the same one. */
  private async sameOnHost(path: string, identity: string): Promise<string | undefined> {
    return (await this.hostIdentity(path)) === identity ? path : undefined;
  }

  private async watchedFolder(identity: string): Promise<string | undefined> {
    for (const configDir of this.watched()) if ((await this.hostIdentity(configDir)) === identity) return configDir;
    return undefined;
  }

  private async hostIdentity(path: string): Promise<string | undefined> {
    try {
      return identityOf(await this.onHost.wait(() => stat(path, { bigint: true })));
    } catch {
      // eslint-disable-next-line no-restricted-syntax -- one that cannot be asked here is not known to be the same
      return undefined;
    }
  }

  private sandboxFolder(
    asker: FolderAsker,
    mountNamespace: string,
    path: string,
    identity: string | undefined,
  ): SandboxFolder {
    const same = [...this.sandboxed.values()].find((folder) =>
      identity === undefined || folder.identity === undefined
        ? folder.mountNamespace === mountNamespace && folder.path === path
        : folder.identity === identity,
    );
    if (same !== undefined) return same;
    if (this.sandboxed.size >= limits.sandboxFolders) {
      if (this.overLimit.size < limits.skippedEntries) this.overLimit.add(this.nameFor(asker, mountNamespace, path));
      throw rollcallError("too-many-folders", `more than ${limits.sandboxFolders} config folders of sandboxes`);
    }
    const folder = {
      configDir: this.nameFor(asker, mountNamespace, path),
      path,
      asker,
      mountNamespace,
      identity,
      held: undefined,
      opening: undefined,
    };
    this.sandboxed.set(folder.configDir, folder);
    return folder;
  }

  /** As the sandbox names it, and which sandbox; processes of one pid namespace may still see different folders. */
  private nameFor({ namespace }: FolderAsker, mountNamespace: string, path: string): string {
    const name = `pidns:${namespace ?? "unknown"}:${path}`;
    return this.sandboxed.has(name) ? `pidns:${namespace ?? "unknown"}:${mountNamespace}:${path}` : name;
  }

  /** @throws the system's error while the folder is not there or its process has ended */
  private async heldOf(folder: SandboxFolder): Promise<HeldFolder> {
    folder.opening ??= this.holdAgain(folder).finally(() => {
      folder.opening = undefined;
    });
    return folder.opening;
  }

  private async holdAgain(folder: SandboxFolder): Promise<HeldFolder> {
    const before = folder.held;
    if (before !== undefined && (await before.isThere())) return before;
    const root = await openRoot(folder.asker);
    try {
      const handle = await openFolderIn(root, folder.path);
      folder.identity = identityOf(await handle.stat({ bigint: true }));
      folder.held = new HeldFolder(handle);
    } finally {
      await root.close();
    }
    await before?.leave();
    return folder.held;
  }

  /** Those who ask for one at the same time share the answer. */
  private hostPath(path: string): Promise<string> {
    const asked = this.asked.get(path);
    if (asked !== undefined) return asked;
    const answer = this.askHostPath(path).finally(() => this.asked.delete(path));
    this.asked.set(path, answer);
    return answer;
  }

  private readonly asked = new Map<string, Promise<string>>();

  private async askHostPath(path: string): Promise<string> {
    try {
      return await this.onHost.wait(() => realpath(path));
    } catch {
      return resolve(path);
    }
  }

  private patienceFor(mountNamespace: string): Patience {
    const known = this.patience.get(mountNamespace);
    if (known !== undefined) return known;
    if (this.patience.size >= limits.sandboxFolders) this.patience.delete([...this.patience.keys()][0] ?? "");
    const fresh = new Patience(`the folders of ${mountNamespace}`, limits.fileReadDeadlineMs);
    this.patience.set(mountNamespace, fresh);
    return fresh;
  }
}

/** @throws the system's error, or one for a pid that is another process' by now */
async function openRoot({ pid, startToken }: FolderAsker): Promise<FileHandle> {
  const root = await open(`/proc/${pid}/root`, constants.O_RDONLY | constants.O_DIRECTORY);
  if (readProcStat(pid).startTicks === startToken) return root;
  await root.close();
  throw rollcallError("another-process", `process ${pid} has ended, its pid is another one's`);
}

/** The folder, or the nearest one above it that is there. */
async function openNearest(
  root: FileHandle,
  path: string,
): Promise<{ readonly path: string; readonly handle: FileHandle }> {
  for (let at = path; ; at = dirname(at)) {
    try {
      return { path: at, handle: await openFolderIn(root, at) };
    } catch (error) {
      if (errorCode(error) !== "ENOENT" || at === "/") throw error;
    }
  }
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
