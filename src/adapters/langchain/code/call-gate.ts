/** Lets calls of tools begin: several at once, or one with no other beside it. */
export interface CallGate {
  /** Runs a job when it is its turn. Jobs begin in the order in which they came. */
  run<T>(job: { readonly isAlone: boolean; readonly run: () => Promise<T> }): Promise<T>;
  /** Waits until nothing goes on but, perhaps, the jobs that wait for this. */
  quiet(waiting: number): Promise<void>;
}

interface Waiting {
  readonly isAlone: boolean;
  readonly begin: () => void;
}

/** Creates a gate for at most so many jobs at once. */
export function createCallGate(maxAtOnce: number): CallGate {
  const queue: Waiting[] = [];
  const listeners = new Set<() => void>();
  let running = 0;
  let isOneAlone = false;

  function next(): void {
    for (;;) {
      const [first] = queue;
      if (first === undefined || isOneAlone) return;
      if (first.isAlone ? running > 0 : running >= maxAtOnce) return;
      queue.shift();
      running += 1;
      isOneAlone = first.isAlone;
      first.begin();
    }
  }

  return {
    async run({ isAlone, run }) {
      await new Promise<void>((begin) => {
        queue.push({ isAlone, begin });
        next();
      });
      try {
        return await run();
      } finally {
        running -= 1;
        if (isAlone) isOneAlone = false;
        for (const listener of listeners) listener();
        next();
      }
    },
    async quiet(waiting) {
      if (running <= waiting) return;
      await new Promise<void>((resolve) => {
        const look = (): void => {
          if (running > waiting) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
      });
    },
  };
}
