import { OffloadError } from "../../types/errors.js";
import type { ReadingStore } from "../../store/artifact-store.js";
import { withDeadline } from "../../../util/abort.js";

/** Longest wait for one answer of a store, in milliseconds, and what each byte that is asked for adds. */
export const LONGEST_WAIT_MS: number = 60_000;
const MS_PER_BYTE = 1 / 1000;

/**
 * The same store, whose answers are waited for a bounded time: it may be of the application, and one that never answers
 * would hold a tool call for good. Its methods throw {@link OffloadError} with code `STORE_READ_FAILED` then.
 */
export function answeringStore(store: ReadingStore): ReadingStore {
  const { name, bodies, maxMemoryBytes } = store;

  function inTime<T>(ask: () => Promise<T>, bytes = 0): Promise<T> {
    const timeoutMs = LONGEST_WAIT_MS + Math.ceil(bytes * MS_PER_BYTE);
    const late = (): OffloadError =>
      new OffloadError(
        "STORE_READ_FAILED",
        `The store ${name} has not answered within ${timeoutMs} ms. Try again, and look at what it works with.`,
      );
    return withDeadline({ timeoutMs, late }, ask);
  }

  const statExpired = store.statExpired?.bind(store);
  return {
    name,
    bodies,
    ...(maxMemoryBytes !== undefined && { maxMemoryBytes }),
    stat: (id, scope) => inTime(() => store.stat(id, scope)),
    ...(statExpired && { statExpired: (id, scope) => inTime(() => statExpired(id, scope)) }),
    read(artifact, range) {
      const { start, end } = range ?? { start: 0, end: artifact.sizeBytes };
      return inTime(() => store.read(artifact, range), end - start);
    },
  };
}
