/** Runs jobs, at most a fixed number of them at once; the others wait in order. */
export type ConcurrencyLimit = <T>(job: () => Promise<T>) => Promise<T>;

/** Makes a limit of `maxRunning` jobs at once. */
export function limitConcurrency(maxRunning: number): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (job) => {
    if (running >= maxRunning) {
      // The job that ends hands its place over, so `running` stays as it is.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
