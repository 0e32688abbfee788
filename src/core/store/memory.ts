import { callback, checkedOptions, count, optionalsOf } from "../../util/option-rules.js";
import { pause } from "../../util/pause.js";
import { inSlices } from "../../util/slices.js";
import type { StoredArtifact } from "../types/artifact.js";
import { type ArtifactRecord, decodeRecord, decodeRecords } from "./artifact-record.js";
import type { ArtifactStore, NewArtifact } from "./artifact-store.js";
import { BYTES_AT_ONCE, piecesOf } from "./chunks.js";
import { driverStore, takenError } from "./store-driver.js";

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /**
   * Largest sum of all bodies, in bytes. A body that does not fit is refused.
   *
   * @defaultValue 268,435,456 (256 MiB)
   */
  readonly maxBytes?: number;
  /** Unix milliseconds, for expiry. Default: `Date.now`. */
  readonly now?: () => number;
}

interface Entry extends ArtifactRecord {
  readonly body: Uint8Array;
}

const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;
const schema = optionalsOf({ maxBytes: count, now: callback });

/**
 * Keeps artifacts in this process until it ends, for tests and short runs. Unexpired artifacts are never evicted:
 * `put` fails if a body does not fit.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function memoryStore(options: MemoryStoreOptions = {}): ArtifactStore {
  const { maxBytes = DEFAULT_MAX_BYTES, now = Date.now } = checkedOptions<MemoryStoreOptions>(
    "memoryStore",
    schema,
    options,
  );
  const entries = new Map<string, Entry>();
  // Reserved when a put begins, so that parallel puts stay within the limit.
  let usedBytes = 0;

  function get(id: string, sessionKey: string): Entry | undefined {
    const entry = entries.get(id);
    return entry?.record.sessionKey === sessionKey ? entry : undefined;
  }

  function remove(entry: Entry | undefined): boolean {
    if (entry === undefined || !entries.delete(entry.record.id)) return false;
    usedBytes -= entry.body.length;
    return true;
  }

  async function removeExpired(nowMs: number): Promise<StoredArtifact[]> {
    const removed: StoredArtifact[] = [];
    await inSlices(entries.values(), (entry) => {
      if (entry.record.expiresAt <= nowMs && remove(entry)) removed.push(entry.record);
    });
    return removed;
  }

  async function reserve({ id, sizeBytes }: NewArtifact) {
    if (usedBytes + sizeBytes > maxBytes) await removeExpired(now());
    if (entries.has(id)) throw takenError(id);
    if (usedBytes + sizeBytes > maxBytes) {
      throw new Error(
        `${sizeBytes} bytes do not fit: ${usedBytes} of ${maxBytes} bytes are in use. Raise maxBytes or use a file store.`,
      );
    }
    usedBytes += sizeBytes;
  }

  return driverStore<Entry>(
    "memory",
    {
      async write({ record, text }, body) {
        await reserve(record);
        const { id, sizeBytes } = record;
        try {
          const whole = new Uint8Array(sizeBytes);
          let filled = 0;
          for await (const piece of piecesOf(body, sizeBytes, BYTES_AT_ONCE)) {
            whole.set(piece, filled);
            filled += piece.length;
            if (filled < sizeBytes) await pause();
          }
          entries.set(id, { record, text, body: whole });
        } catch (error) {
          usedBytes -= sizeBytes;
          throw error;
        }
      },
      async find(id, sessionKey) {
        const entry = get(id, sessionKey);
        // Its own copy, because callers may change what they get.
        const decoded = entry && decodeRecord(entry.text);
        return decoded && { ...entry, ...decoded };
      },
      async readBytes({ body }, { start, end }) {
        return body.slice(start, end);
      },
      async page(sessionKey, after, limit) {
        const ids = [...entries.keys()]
          .filter((id) => id > after && get(id, sessionKey))
          .toSorted();
        const asked = ids.slice(0, limit);
        return {
          records: await decodeRecords(asked.map((id) => entries.get(id)?.text ?? "")),
          next: asked.length < ids.length ? asked.at(-1) : undefined,
        };
      },
      async replace({ record: { id, sessionKey } }, expiresAt, text) {
        const entry = get(id, sessionKey);
        // A concurrent call may have moved it further.
        if (entry === undefined || entry.record.expiresAt >= expiresAt) return false;
        entries.set(id, { ...entry, record: { ...entry.record, expiresAt }, text });
        return true;
      },
      remove: async (id, sessionKey) => remove(get(id, sessionKey)),
      sweep: removeExpired,
    },
    now,
    "memory",
  );
}
