// Whether a link failed since its file system has no hard links, or no more of them: the one who asks then copies or
// renames instead.
import { errorCode } from "../errors.ts";

const codes = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"]);

export function linksAreMissing(error: unknown): boolean {
  return codes.has(errorCode(error) ?? "");
}
