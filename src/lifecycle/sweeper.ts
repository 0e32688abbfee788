import { MAX_TIMER_MS } from "../util/timer.js";
import { OffloadError } from "../errors.js";
import { emit } from "../events.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { StoredArtifact } from "../types.js";

/** What {@link startSweeper} needs. */
export interface SweeperOptions {
  readonly store: Pick<ArtifactStore, "sweep">;
  /** From one sweep to the next, in milliseconds; above 2,147,483,647, the longest timer, it counts as that. */
  readonly intervalMs: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Called once for each artifact that a sweep deleted; what it throws changes nothing. */
  readonly onExpired: (artifact: StoredArtifact) => void;
}

/** Sweeps a store while a process runs. */
export interface Sweeper {
  /**
   * Sweeps now and returns what was deleted; nothing when the store failed. A sweep that is under
   * way is joined. Never throws.
   */
  sweep(): Promise<readonly StoredArtifact[]>;
  /** Stops the timer and sweeps once more. Never throws; closing twice is harmless. */
  close(): Promise<void>;
}

/**
 * Sweeps soon after it is called and then once an interval. Its timers keep no process alive.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when `intervalMs` is not at least 1.
 */
export function startSweeper({ store, intervalMs, now, onExpired }: SweeperOptions): Sweeper {
  if (!(intervalMs >= 1)) {
    throw new OffloadError(
      "INVALID_OPTIONS",
      `intervalMs is ${intervalMs}; it must be at least 1.`,
    );
  }
  let underWay: Promise<readonly StoredArtifact[]> | undefined;
  let closing: Promise<void> | undefined;

  async function runSweep(): Promise<readonly StoredArtifact[]> {
    try {
      const artifacts = await store.sweep(now());
      for (const artifact of artifacts) emit(onExpired, artifact);
      return artifacts;
    } catch {
      // What stays is swept next time; readers do not see it meanwhile.
      return [];
    }
  }

  function sweep(): Promise<readonly StoredArtifact[]> {
    underWay ??= runSweep().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  async function finish(): Promise<void> {
    clearImmediate(first);
    clearInterval(timer);
    // A sweep that began earlier may have passed over what has expired since.
    await underWay;
    await sweep();
  }

  const first = setImmediate(() => void sweep()).unref();
  const timer = setInterval(() => void sweep(), Math.min(intervalMs, MAX_TIMER_MS)).unref();

  return {
    sweep,
    close() {
      closing ??= finish();
      return closing;
    },
  };
}
