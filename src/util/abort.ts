import { setMaxListeners } from "node:events";

/** Node keeps delays in 32 bits, and a longer one would fire at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/*
 * These replace `AbortSignal.any` and `timeout`: on Node 20 each `any` on a long-lived signal leaks
 * 1.2 kB, and each `timeout` as much until its time is over. A timer of `AbortSignal.timeout` also
 * lets the process end without an answer.
 */

/** Parallel calls share a signal, and Node would warn of a leak at its eleventh listener. */
export function onceAborted(signal: AbortSignal | undefined, listener: () => void): void {
  if (signal === undefined) return;
  setMaxListeners(0, signal);
  signal.addEventListener("abort", listener, { once: true });
}

/**
 * After an abort the promise goes on and its rejection is handled. No listener stays on the signal.
 * @throws The signal's reason, even if it has aborted before; what the promise rejects with.
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
    else onceAborted(signal, onAbort);
  });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
  }
}

/**
 * The job gets a signal that aborts at the deadline.
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
