// Work on many things, some at a time: so many calls of the system wait at once, and no more.

/**
 * @param work what is done at once, without a promise, costs none
 * @throws the first fault; what was begun then goes on, nothing new begins
 */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<void> | undefined,
): Promise<void> {
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    while (!failed && next < items.length) {
      const index = next;
      next += 1;
      try {
        const begun = work(items[index] as T, index);
        if (begun !== undefined) await begun;
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
