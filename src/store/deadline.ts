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

const MAX_TIMEOUT_MS = 3_600_000;

/**
 * Checks the longest wait for one answer, in milliseconds.
 *
 * @throws RangeError when it is not a whole number from 1 to 3,600,000.
 */
export function checkTimeout(timeoutMs: number): void {
  if (Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS) return;
  throw new RangeError(
    `timeoutMs is ${timeoutMs}; it must be a whole number from 1 to ${MAX_TIMEOUT_MS}.`,
  );
}
