import type { ArtifactStore } from "../../src/core/store/artifact-store.js";
import type { Figures } from "./messages.js";

/** A store whose calls are noted. */
export interface TimedStore extends ArtifactStore {
  /** Bytes that it has stored, without those that it has swept, whoever stored them. */
  livingBytes(): number;
}

/** The same store, whose calls are noted in what `figures` gives. */
export function timedStore(store: ArtifactStore, figures: () => Figures): TimedStore {
  let livingBytes = 0;
  async function timed<T>(kind: "put" | "fetch" | "sweep", job: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await job();
    } finally {
      figures()[kind].push(performance.now() - start);
    }
  }
  return {
    ...store,
    livingBytes: () => livingBytes,
    put: async (artifact, body) => {
      const stored = await timed("put", () => store.put(artifact, body));
      figures().storedBytes += artifact.sizeBytes;
      livingBytes += artifact.sizeBytes;
      return stored;
    },
    read: (artifact, range) => timed("fetch", () => store.read(artifact, range)),
    sweep: async (nowMs) => {
      const swept = await timed("sweep", () => store.sweep(nowMs));
      figures().swept += swept.length;
      for (const { sizeBytes } of swept) livingBytes -= sizeBytes;
      return swept;
    },
  };
}
