import type { ArtifactStore } from "./artifact-store.js";
import { checkTimeout } from "./deadline.js";
import { engineStore } from "./engine-store.js";
import { langgraphEngine } from "./langgraph-engine.js";
import { boundedStore, type LangGraphBaseStore } from "./langgraph-items.js";

export type { LangGraphBaseStore } from "./langgraph-items.js";

/** Options of {@link langgraphStore}. */
export interface LangGraphStoreOptions {
  /**
   * Bytes of a body in one item of the store, from 1,024 to 4,194,304; items are a third larger.
   *
   * @defaultValue 262,144
   */
  readonly chunkBytes?: number;
  /**
   * Longest wait for the answer to one call of the store, in milliseconds.
   *
   * @defaultValue 30,000
   */
  readonly timeoutMs?: number;
  /** Unix milliseconds, for expiry. Default: `Date.now`. */
  readonly now?: () => number;
}

const DEFAULT_CHUNK_BYTES = 256 * 1024;
const MIN_CHUNK_BYTES = 1024;
const MAX_CHUNK_BYTES = 4 * 1024 * 1024;

/**
 * Keeps artifacts in a LangGraph store, such as the one that an agent has already: bodies as base64
 * in chunks, then the record, so that an artifact is complete or absent. A namespace for each
 * session; expiry stands in the record, so a store without expiry of its own is enough.
 * Pass the store itself and not `runtime.store`, which passes an item on without its settings.
 *
 * @throws RangeError when `chunkBytes` or `timeoutMs` is out of its range.
 */
export function langgraphStore(
  store: LangGraphBaseStore,
  options: LangGraphStoreOptions = {},
): ArtifactStore {
  const { chunkBytes = DEFAULT_CHUNK_BYTES, timeoutMs = 30_000, now = Date.now } = options;
  if (
    !Number.isInteger(chunkBytes) ||
    chunkBytes < MIN_CHUNK_BYTES ||
    chunkBytes > MAX_CHUNK_BYTES
  ) {
    throw new RangeError(
      `chunkBytes is ${chunkBytes}; it must be a whole number from ${MIN_CHUNK_BYTES} to ${MAX_CHUNK_BYTES}.`,
    );
  }
  checkTimeout(timeoutMs);
  const engine = langgraphEngine(boundedStore(store, timeoutMs), chunkBytes);
  return engineStore("langgraph", engine, now);
}
