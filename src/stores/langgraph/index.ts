import { checkedOptions, having, optionsOf, wholeNumber } from "../../util/option-rules.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import { driverStore } from "../../core/store/store-driver.js";
import { sharedOptions, type SharedStoreOptions } from "../remote.js";
import { type LangGraphBaseStore, langgraphDriver } from "./driver.js";

export type { LangGraphBaseStore } from "./driver.js";

/** Options of {@link langgraphStore}. */
export interface LangGraphStoreOptions extends SharedStoreOptions {
  /**
   * Bytes of a body in one item of the store, from 1,024 to 4,194,304; items are a third larger.
   * @defaultValue 262,144
   */
  readonly chunkBytes?: number;
}

const DEFAULT_CHUNK_BYTES = 256 * 1024;
const MIN_CHUNK_BYTES = 1024;
const MAX_CHUNK_BYTES = 4 * 1024 * 1024;
const baseStore = having(
  ["get", "put", "delete", "search"],
  "a LangGraph store, such as new InMemoryStore(), in front of the options",
);
const schema = optionsOf({
  chunkBytes: wholeNumber(MIN_CHUNK_BYTES, MAX_CHUNK_BYTES).optional(),
  ...sharedOptions,
});

/**
 * Keeps artifacts in a LangGraph store, such as the one that an agent already has. Bodies are
 * written as base64 in chunks, then the record, so that an artifact is complete or absent. Each
 * session has its own namespace. The record holds the expiry, so the store needs no expiry of its
 * own. Pass the store itself and not `runtime.store`, which passes an item on without its settings.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function langgraphStore(
  store: LangGraphBaseStore,
  options: LangGraphStoreOptions = {},
): ArtifactStore {
  checkedOptions("langgraphStore", baseStore, store);
  const checked = checkedOptions<LangGraphStoreOptions>("langgraphStore", schema, options);
  const { chunkBytes = DEFAULT_CHUNK_BYTES, timeoutMs = 30_000, now = Date.now } = checked;
  return driverStore("langgraph", langgraphDriver(store, chunkBytes, timeoutMs), now);
}
