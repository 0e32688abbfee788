import { callback, checkedOptions, count, optionsOf } from "../../util/option-rules.js";
import { inSlices } from "../../util/slices.js";
import { decodeRecord } from "./artifact-record.js";
import type { ArtifactStore, NewArtifact } from "./artifact-store.js";
import { checkChunk, checkLength, forEachChunk } from "./body/chunks.js";
import { type DriverEntry, driverStore, type StoreDriver } from "./store-driver.js";

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /**
   * Largest sum of all bodies, in bytes; a body that does not fit is refused.
   *
   * @defaultValue 268,435,456 (256 MiB)
   */
  readonly maxBytes?: number;
  /** Unix milliseconds, for expiry. Default: `Date.now`. */
  readonly now?: () => number;
}

/** An artifact as it is kept: whoever asks for its record gets a copy of their own. */
interface Kept {
  readonly id: string;
  readonly scope: string;
  readonly expiresAt: number;
  /** The record's JSON. */
  readonly text: string;
  readonly body: Uint8Array;
}

interface Entry extends DriverEntry {
  readonly body: Uint8Array;
}

const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;
const schema = optionsOf({ maxBytes: count.optional(), now: callback.optional() });

/**
 * Keeps artifacts in this process, for tests and short runs: they are gone when it ends. What has
 * not expired is never evicted; when a body does not fit beside it, `put` fails.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function memoryStore(options: MemoryStoreOptions = {}): ArtifactStore {
  const checked = checkedOptions<MemoryStoreOptions>("memoryStore", schema, options);
  const { maxBytes = DEFAULT_MAX_BYTES, now = Date.now } = checked;
  const driver = memoryDriver(maxBytes, now);
  return driverStore("memory", driver, { now, bodies: "memory" });
}

function memoryDriver(maxBytes: number, now: () => number): StoreDriver<Entry> {
  const sessions = new Map<string, Map<string, Kept>>();
  // Ids and bytes of puts that are under way count at once, so that parallel puts cannot overbook.
  const taken = new Set<string>();
  let usedBytes = 0;

  /** Whether it was still there. */
  function remove(id: string, scope: string): boolean {
    const session = sessions.get(scope);
    const kept = session?.get(id);
    if (session === undefined || kept === undefined) return false;
    session.delete(id);
    if (session.size === 0) sessions.delete(scope);
    taken.delete(id);
    usedBytes -= kept.body.length;
    return true;
  }

  function* expiredBy(nowMs: number): Generator<Kept> {
    for (const session of sessions.values()) {
      for (const kept of session.values()) if (kept.expiresAt <= nowMs) yield kept;
    }
  }

  function reserve({ id, sizeBytes }: NewArtifact): void {
    if (taken.has(id)) throw new Error(`The id ${id} is taken.`);
    if (usedBytes + sizeBytes > maxBytes) {
      for (const { id: old, scope } of expiredBy(now())) remove(old, scope);
    }
    if (usedBytes + sizeBytes > maxBytes) {
      throw new Error(
        `${sizeBytes} bytes do not fit: ${usedBytes} of ${maxBytes} bytes are in use. ` +
          "Raise maxBytes or use a file store.",
      );
    }
    taken.add(id);
    usedBytes += sizeBytes;
  }

  function keep(kept: Kept): void {
    const session = sessions.get(kept.scope) ?? new Map<string, Kept>();
    sessions.set(kept.scope, session.set(kept.id, kept));
  }

  return {
    async write({ record, text }, body) {
      reserve(record);
      const { id, scope, expiresAt, sizeBytes } = record;
      try {
        keep({ id, scope, expiresAt, text, body: await collect(body, sizeBytes) });
      } catch (error) {
        taken.delete(id);
        usedBytes -= sizeBytes;
        throw error;
      }
    },
    async find(id, scope) {
      const kept = sessions.get(scope)?.get(id);
      const record = kept && decodeRecord(kept.text);
      return record && { record, text: kept.text, body: kept.body };
    },
    async readBytes({ body }, { start, end }) {
      return body.slice(start, end);
    },
    async listAfter(scope, afterId, { limit, nowMs }) {
      const later = [...(sessions.get(scope)?.values() ?? [])].filter(
        ({ id, expiresAt }) => id > afterId && expiresAt > nowMs,
      );
      const first = later.toSorted((one, other) => (one.id < other.id ? -1 : 1)).slice(0, limit);
      return first.flatMap(({ text }) => decodeRecord(text) ?? []);
    },
    async replace({ record: { id, scope } }, expiresAt, text) {
      const kept = sessions.get(scope)?.get(id);
      // Another call may have moved it further meanwhile.
      if (kept === undefined || kept.expiresAt >= expiresAt) return false;
      keep({ ...kept, expiresAt, text });
      return true;
    },
    remove: async (id, scope) => remove(id, scope),
    async sweep(nowMs) {
      const swept: NewArtifact[] = [];
      await inSlices(expiredBy(nowMs), ({ id, scope, text }) => {
        const record = decodeRecord(text);
        if (remove(id, scope) && record !== undefined) swept.push(record);
      });
      return swept;
    },
  };
}

async function collect(
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  sizeBytes: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(sizeBytes);
  let length = 0;
  await forEachChunk(body, (chunk) => {
    length = checkChunk(chunk, length, sizeBytes);
    bytes.set(chunk, length - chunk.length);
    return undefined;
  });
  checkLength(length, sizeBytes);
  return bytes;
}
