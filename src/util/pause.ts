/** Bytes worked on between two turns of the event loop: a few milliseconds, also of code that is not compiled yet. */
export const BYTES_BETWEEN_PAUSES: number = 1 << 18;

/** What is resumed in one turn of the event loop, in milliseconds, its last step aside. */
const SLICE_MS = 2;

// Taken at once: a test that fakes them while somebody waits would stop the queue for the whole process.
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
  // Behind all that the resumed one does until it waits again.
  soon(() => {
    nextTick(() => {
      if (waiting.length > 0 && now() < endsAt) resumeNext(endsAt);
      else if (waiting.length > 0 || later.length > 0) schedule(resumeSome);
      else isRunning = false;
    });
  });
}
