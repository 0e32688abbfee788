/** Bytes worked on between two turns of the event loop: a few milliseconds, also of code that is not compiled yet. */
export const BYTES_BETWEEN_PAUSES: number = 1 << 18;

/** Those who pause, in order; `later` came while the others were being resumed. */
let waiting: (() => void)[] = [];
let later: (() => void)[] = [];
let isRunning = false;

/** Hands the event loop a turn. Of all who pause, one goes on in each turn: many at once hold it no longer than one. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    later.push(resolve);
    if (!isRunning) setImmediate(resumeOne);
    isRunning = true;
  });
}

function resumeOne(): void {
  // From its end, so that taking one costs the same however many wait.
  if (waiting.length === 0) [waiting, later] = [later.toReversed(), []];
  waiting.pop()?.();
  isRunning = waiting.length > 0 || later.length > 0;
  if (isRunning) setImmediate(resumeOne);
}
