// Whether our hooks stand in the settings of a config folder, so that their silence can be told from their absence. Read
// when the file changed; what it says else is nobody's business here.
import { join } from "node:path";
import { describeError, errorCode } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { readBounded } from "../../base/node/readBounded.ts";
import { hookSpoolsIn, hooksSwitchedOff } from "../../protocol/files/hookSettings.ts";
import { absent, observed, unobserved, type Observation } from "../../protocol/observation.ts";
import type { HookSetupFacts } from "../core/hookSetup.ts";
import type { MonitorEvent } from "../core/monitorEvent.ts";
import type { FolderFiles } from "./folderFiles.ts";

export interface HookSetupsOptions {
  readonly configDir: string;
  readonly files: FolderFiles;
  readonly now: () => number;
  readonly emit: (events: readonly MonitorEvent[]) => void;
}

export class HookSetups {
  private readonly options: HookSetupsOptions;
  private readonly path: string;
  private identity: string | undefined;

  constructor(options: HookSetupsOptions) {
    this.options = options;
    this.path = join(options.configDir, "settings.json");
  }

  async scan(): Promise<void> {
    const { configDir, files, now, emit } = this.options;
    const at = now();
    let identity: string;
    try {
      const { ino, size, mtimeMs } = await files.look(this.path);
      identity = `${ino}:${size}:${mtimeMs}`;
    } catch (error) {
      identity = errorCode(error) ?? describeError(error);
    }
    if (identity === this.identity) return;
    this.identity = identity;
    emit([{ kind: "hook-setup", configDir, setup: await this.read(at) }]);
  }

  private async read(at: number): Promise<Observation<HookSetupFacts>> {
    const { files } = this.options;
    let read: Awaited<ReturnType<typeof readBounded>>;
    try {
      read = await files.wait(() =>
        readBounded(this.path, limits.settingsBytes, limits.fileReadDeadlineMs, files.open),
      );
    } catch (error) {
      return unobserved("hooks", at, describeError(error));
    }
    if (read.kind === "absent") return absent("hooks", at);
    if (read.kind === "unreadable") return unobserved("hooks", at, read.cause);
    const text = read.bytes.toString("utf8");
    const spools = hookSpoolsIn(text);
    if (spools === undefined) return unobserved("hooks", at, "not settings that can be read");
    return observed("hooks", at, { spools, isOff: hooksSwitchedOff(text), since: Math.min(read.modifiedAt, at) });
  }
}
