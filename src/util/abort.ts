/** Longest delay of a timer, in milliseconds: Node keeps delays in 32 bits, and a longer one would fire at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/*
 * Own code, and why: on Node 20 each `AbortSignal.any` of a signal that lives as long as the process leaves 1.2 kB with
 * it for good, and each `AbortSignal.timeout` as much until its time is over, listeners removed or not. A timer of
 * `AbortSignal.timeout` does not keep the process, so one that waits for nothing else ends without an answer.
 */

/**
 * What a promise gives, unless the signal aborts first; the promise itself goes on then, and what it comes to is
 * heard. Nothing stays on the signal.
 *
 * @throws The signal's reason, also where it has aborted before; what the promise rejects with.
 */
export async function orAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return await promise;
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
  }
}

/**
 * Runs a job for a bounded time. The job gets a signal that ends what it still waits for.
 *
 * @throws `late`, or Error with its text, when the time is over, and what the job throws.
 */
export async function withDeadline<T>(
  { timeoutMs, late }: { readonly timeoutMs: number; readonly late: string | (() => Error) },
  job: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const isOver = (): void => deadline.abort(typeof late === "string" ? new Error(late) : late());
  const timer = setTimeout(isOver, timeoutMs);
  try {
    return await orAborted(job(deadline.signal), deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}
