import type { ArtifactStore } from "./artifact-store.js";
import type { StoredArtifact } from "../types/artifact.js";
import { emit } from "../types/events.js";
import { outsideOfRuns } from "../../util/outside-of-runs.js";
import { inSlices } from "../../util/slices.js";

export interface SweeperOptions {
  readonly store: Pick<ArtifactStore, "sweep">;
  /** Milliseconds between sweeps. */
  readonly intervalMs: number;
  readonly now: () => number;
  readonly onExpired: (artifact: StoredArtifact) => void;
  /** Held weakly: programs create an offloader per request, and the timer would keep it alive. Never rejects. */
  readonly whileHeld: (expired: readonly StoredArtifact[]) => Promise<void>;
}

export interface Sweeper {
  note(expiresAt: number): void;
  sweep(): Promise<readonly StoredArtifact[]>;
  /** Stops the timer and sweeps once more. Never throws. */
  close(): Promise<void>;
}

const FIRST_MS = 1000;

/**
 * Sweeps after a second, and then once per interval, until `whileHeld` is collected and
 * what was noted has expired. Does not keep the process alive.
 */
export function startSweeper({ whileHeld, ...options }: SweeperOptions): Sweeper {
  const { store, intervalMs, now, onExpired } = options;
  const held = new WeakRef(whileHeld);
  let underWay: Promise<readonly StoredArtifact[]> | undefined;
  let closing: Promise<void> | undefined;
  let cleanAtMs = -Infinity;
  let lastExpiry = -Infinity;
  let timer: NodeJS.Timeout | undefined;

  async function runSweep(): Promise<readonly StoredArtifact[]> {
    try {
      const nowMs = now();
      const artifacts = await store.sweep(nowMs);
      cleanAtMs = nowMs;
      const told = held.deref()?.(artifacts);
      await inSlices(artifacts, (artifact) => emit(onExpired, artifact));
      await told;
      return artifacts;
    } catch {
      // The next sweep tries again.
      return [];
    }
  }

  function sweep(): Promise<readonly StoredArtifact[]> {
    underWay ??= runSweep().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  async function tick() {
    await sweep();
    if (held.deref() !== undefined || cleanAtMs < lastExpiry) planTick(intervalMs);
  }

  function planTick(delayMs: number) {
    if (closing !== undefined) return;
    timer = outsideOfRuns(() => setTimeout(() => void tick(), delayMs).unref());
  }

  async function finish() {
    clearTimeout(timer);
    // It may have missed what expired since.
    await underWay;
    await sweep();
  }

  planTick(Math.min(FIRST_MS, intervalMs));

  return {
    note(expiresAt) {
      lastExpiry = Math.max(lastExpiry, expiresAt);
    },
    sweep,
    close: () => (closing ??= finish()),
  };
}
