import { setTimeout as delay } from "node:timers/promises";

const isSettled = (): boolean => true;

/** Resolves when the promise settles, or after some milliseconds; `true` for the first. Never rejects. */
export async function within(promise: Promise<unknown>, maxMs: number): Promise<boolean> {
  const isLate = new AbortController();
  try {
    return await Promise.race([
      promise.then(isSettled, isSettled),
      delay(maxMs, false, { signal: isLate.signal }),
    ]);
  } finally {
    isLate.abort();
  }
}
