/** A few milliseconds of work, even before the code is compiled. */
export const BYTES_BETWEEN_PAUSES: number = 1 << 18;

/** Work resumed in one turn of the event loop, without its last step. */
const SLICE_MS = 2;

// Captured at load, because fake timers in tests would stop the queue.
const [schedule, soon] = [setImmediate, queueMicrotask];
const nextTick = process.nextTick.bind(process);
const now = performance.now.bind(performance);

let waiting: (() => void)[] = [];
let later: (() => void)[] = [];
let isRunning = false;

export function pause(): Promise<void> {
  return new Promise((resolve) => {
    later.push(resolve);
    if (!isRunning) schedule(resumeSome);
    isRunning = true;
  });
}

function resumeSome(): void {
  if (waiting.length === 0) [waiting, later] = [later.toReversed(), []];
  resumeNext(now() + SLICE_MS);
}

function resumeNext(endsAt: number): void {
  waiting.pop()?.();
  // After everything that the resumed step does until it waits again.
  soon(() => {
    nextTick(() => {
      if (waiting.length > 0 && now() < endsAt) resumeNext(endsAt);
      else if (waiting.length > 0 || later.length > 0) schedule(resumeSome);
      else isRunning = false;
    });
  });
}
