// A lock that is waited for, since whoever holds it writes only for a moment. How it is held is `lock.ts`.
import { isRollcallError } from "../errors.ts";
import { acquireLock, type Lock } from "./lock.ts";

/** @throws LockError where it is still held at the deadline; the system's error where it cannot be taken */
export async function awaitLock(path: string, deadlineMs: number): Promise<Lock> {
  const deadlineAt = performance.now() + deadlineMs;
  for (;;) {
    try {
      return acquireLock(path);
    } catch (error) {
      if (!isRollcallError(error) || performance.now() > deadlineAt) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20));
  }
}
