import type { StoredArtifact } from "../../types/artifact.js";
import { readIndex } from "./expiry-index.js";
import { sweepAll, sweepDue } from "./sweep-passes.js";

/** Sweeps a directory and the sessions' folders in it. Where much is stored, an index tells what is due. */
export interface DirectorySweeps {
  /** Notes when something expires that was stored since the latest sweep. */
  note(expiresAt: number): void;
  /**
   * Deletes what expired at or before `nowMs` and, once a day, what dead processes left unfinished, and returns
   * the artifacts whose bodies this call removed. Files that are not beyond doubt this store's stay:
   * those of other users, links, and bodies that are not as they were recorded. A file that cannot
   * be examined or removed is left for the next sweep.
   *
   * @throws Error of the file system when the directory cannot be listed.
   */
  sweep(nowMs: number): Promise<StoredArtifact[]>;
  /** When the first artifact expires that is known here, in Unix milliseconds; 0 before a first sweep. */
  nextExpiry(): number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export function directorySweeps(directory: string): DirectorySweeps {
  let soonest = 0;
  // Each sweep that is under way, and the soonest of what was noted since it began.
  const sweeping = new Set<{ soonest: number }>();

  return {
    note(expiresAt) {
      soonest = Math.min(soonest, expiresAt);
      for (const sweep of sweeping) sweep.soonest = Math.min(sweep.soonest, expiresAt);
    },
    async sweep(nowMs) {
      const noted = { soonest: Infinity };
      sweeping.add(noted);
      try {
        const index = await readIndex(directory);
        const sinceMs = nowMs - (index?.completeAt ?? -Infinity);
        // A pass in the future was made by a clock that was ahead.
        const isComplete = sinceMs >= 0 && sinceMs < DAY_MS;
        const swept =
          index !== undefined && isComplete
            ? await sweepDue(directory, index, nowMs)
            : await sweepAll(directory, index, nowMs);
        soonest = Math.min(swept.soonest, noted.soonest);
        return swept.removed;
      } finally {
        sweeping.delete(noted);
      }
    },
    nextExpiry: () => soonest,
  };
}
