import type { ArtifactStore } from "./artifact-store.js";
import type { StoredArtifact } from "../types/artifact.js";
import { emit } from "../types/events.js";
import { outsideOfRuns } from "../../util/outside-of-runs.js";
import { inSlices } from "../../util/slices.js";

export interface SweeperOptions {
  readonly store: Pick<ArtifactStore, "sweep" | "nextExpiry">;
  /**
   * From one sweep to the next, in milliseconds. Where the store knows what expires next, a sweep waits for that too, though
   * no longer than a day: others may have stored what it does not know of.
   */
  readonly intervalMs: number;
  readonly now: () => number;
  readonly onExpired: (artifact: StoredArtifact) => void;
  readonly isHeld?: () => boolean;
}

export interface Sweeper {
  note(expiresAt: number): void;
  sweep(): Promise<readonly StoredArtifact[]>;
  /** Stops the timer and sweeps once more. Never throws. */
  close(): Promise<void>;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const FIRST_MS = 1000;

/**
 * Sweeps a second after it is called, or an interval if that is shorter, and then once an interval, when something
 * may have expired. Its timers keep no process alive.
 */
export function startSweeper({
  store,
  intervalMs,
  now,
  onExpired,
  isHeld = () => true,
}: SweeperOptions): Sweeper {
  let underWay: Promise<readonly StoredArtifact[]> | undefined;
  let closing: Promise<void> | undefined;
  let sweptAtMs = -Infinity;
  let cleanAtMs = -Infinity;
  let lastExpiry = -Infinity;
  let timer: NodeJS.Timeout | undefined;

  async function runSweep(): Promise<readonly StoredArtifact[]> {
    try {
      const nowMs = now();
      sweptAtMs = nowMs;
      const artifacts = await store.sweep(nowMs);
      cleanAtMs = nowMs;
      await inSlices(artifacts, (artifact) => emit(onExpired, artifact));
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

  /** How long until there may be something to sweep, in milliseconds; 0 or less when there may be now. */
  async function waitMs(): Promise<number> {
    try {
      const nextMs = (await store.nextExpiry?.()) ?? -Infinity;
      // A store of somebody else may answer with anything.
      const nowMs = now();
      // A clock that went back says nothing of what is due.
      return sweptAtMs > nowMs ? 0 : (Math.min(nextMs, sweptAtMs + DAY_MS) || 0) - nowMs;
    } catch {
      return 0;
    }
  }

  async function tick(): Promise<void> {
    const untilDueMs = await waitMs();
    if (closing !== undefined) return;
    const isDue = untilDueMs <= 0;
    if (isDue) await sweep();
    if (!isHeld() && (isDue ? cleanAtMs : now()) >= lastExpiry) return;
    planTick(isDue ? intervalMs : Math.min(untilDueMs, intervalMs));
  }

  function planTick(delayMs: number): void {
    if (closing !== undefined) return;
    timer = outsideOfRuns(() => setTimeout(() => void tick(), delayMs).unref());
  }

  async function finish(): Promise<void> {
    clearTimeout(timer);
    // A sweep that began earlier may have passed over what has expired since.
    await underWay;
    await sweep();
  }

  planTick(Math.min(FIRST_MS, intervalMs));

  return {
    note(expiresAt) {
      lastExpiry = Math.max(lastExpiry, expiresAt);
    },
    sweep,
    close() {
      closing ??= finish();
      return closing;
    },
  };
}
