import type { ZodType } from "zod";

import { wholeNumber } from "./option-rules.js";

/**
 * Runs a job for a bounded time. The job gets a signal that ends what it still waits for.
 *
 * @throws Error with the text of `late` when the time is over, and what the job throws.
 */
export async function withDeadline<T>(
  { timeoutMs, late }: { readonly timeoutMs: number; readonly late: string },
  job: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(late);
      reject(error);
      abort.abort(error);
    }, timeoutMs);
  });
  try {
    return await Promise.race([job(abort.signal), over]);
  } finally {
    clearTimeout(timer);
  }
}

/** Longest wait for one answer of a shared store, in milliseconds: up to an hour. */
export const deadlineMs: ZodType = wholeNumber(1, 3_600_000);
