// Whether asking an engine would start it: where systemd holds Docker's socket for a daemon that does not run, the first
// connection starts the daemon, and with it every container that is to come back by itself. Looking must not do that.
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { errorCode } from "../../../base/errors.ts";

export interface HostLook {
  /** The real path behind a name; undefined where there is none. */
  readonly realPath: (path: string) => string | undefined;
  readonly isThere: (path: string) => boolean;
  /** Short names of the processes that run. */
  readonly programs: () => Iterable<string>;
}

/** Only Docker's: what Podman's socket starts serves one request, and starts no container. */
const activatedSockets = new Set(["/run/docker.sock", "/var/run/docker.sock"]);

export function wouldStartTheEngine(socket: string, host: HostLook = thisHost): boolean {
  const real = host.realPath(socket);
  if (real === undefined || !activatedSockets.has(real) || !host.isThere("/run/systemd/system")) return false;
  for (const program of host.programs()) if (program === "dockerd") return false;
  return true;
}

const thisHost: HostLook = {
  realPath: (path) => {
    try {
      return realpathSync(path);
    } catch {
      // eslint-disable-next-line no-restricted-syntax -- who asks finds out by itself whether somebody answers
      return undefined;
    }
  },
  isThere: (path) => {
    try {
      statSync(path);
      return true;
    } catch (error) {
      return errorCode(error) !== "ENOENT";
    }
  },
  programs: function* () {
    for (const name of readdirSync("/proc")) if (/^\d+$/.test(name)) yield programOf(name);
  },
};

/** Of one that ended meanwhile a name that no program has. */
function programOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "latin1").trim();
  } catch {
    return `gone ${pid}`;
  }
}
