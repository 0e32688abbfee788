import { callback, checkedOptions, count, optionsOf } from "../../util/option-rules.js";
import { inSlices } from "../../util/slices.js";
import { decodeRecord, decodeRecords } from "./artifact-record.js";
import type { ArtifactStore, NewArtifact } from "./artifact-store.js";
import { piecesOf } from "./chunks.js";
import { type DriverEntry, driverStore, type StoreDriver, takenError } from "./store-driver.js";

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

interface Kept {
  readonly sessionKey: string;
  readonly expiresAt: number;
  readonly text: string;
  readonly body: Uint8Array;
}

interface Entry extends DriverEntry {
  readonly body: Uint8Array;
}

const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;
const schema = optionsOf({ maxBytes: count.optional(), now: callback.optional() });

/**
 * Keeps artifacts in this process until it ends, for tests and short runs. Unexpired artifacts are never evicted:
 * `put` fails if a body does not fit.
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
  // Reserved when a put begins, so that parallel puts stay within the limit.
  const artifacts = new Map<string, Kept | "coming">();
  let usedBytes = 0;

  function get(id: string, sessionKey?: string): Kept | undefined {
    const kept = artifacts.get(id);
    if (kept === undefined || kept === "coming") return undefined;
    return sessionKey === undefined || kept.sessionKey === sessionKey ? kept : undefined;
  }

  function remove(id: string, sessionKey?: string): boolean {
    const kept = get(id, sessionKey);
    if (kept === undefined) return false;
    artifacts.delete(id);
    usedBytes -= kept.body.length;
    return true;
  }

  const isExpired = (id: string, nowMs: number): boolean =>
    (get(id)?.expiresAt ?? Infinity) <= nowMs;

  function reserve({ id, sizeBytes }: NewArtifact): void {
    if (artifacts.has(id)) throw takenError(id);
    if (usedBytes + sizeBytes > maxBytes) {
      for (const old of artifacts.keys()) if (isExpired(old, now())) remove(old);
    }
    if (usedBytes + sizeBytes > maxBytes) {
      throw new Error(
        `${sizeBytes} bytes do not fit: ${usedBytes} of ${maxBytes} bytes are in use. ` +
          "Raise maxBytes or use a file store.",
      );
    }
    artifacts.set(id, "coming");
    usedBytes += sizeBytes;
  }

  return {
    async write({ record, text }, body) {
      reserve(record);
      const { id, sessionKey, expiresAt, sizeBytes } = record;
      try {
        let whole: Uint8Array = new Uint8Array();
        for await (const piece of piecesOf(body, sizeBytes, sizeBytes)) whole = piece;
        artifacts.set(id, { sessionKey, expiresAt, text, body: whole });
      } catch (error) {
        artifacts.delete(id);
        usedBytes -= sizeBytes;
        throw error;
      }
    },
    async find(id, sessionKey) {
      const kept = get(id, sessionKey);
      const record = kept && decodeRecord(kept.text);
      return record && { record, text: kept.text, body: kept.body };
    },
    async readBytes({ body }, { start, end }) {
      return body.slice(start, end);
    },
    async page(sessionKey, after, limit) {
      const ids = [...artifacts.keys()]
        .filter((id) => id > after && get(id, sessionKey))
        .toSorted();
      const asked = ids.slice(0, limit);
      return {
        records: await decodeRecords(asked.map((id) => get(id)?.text ?? "")),
        next: asked.length < ids.length ? asked.at(-1) : undefined,
      };
    },
    async replace({ record: { id, sessionKey } }, expiresAt, text) {
      const kept = get(id, sessionKey);
      // A concurrent call may have moved it further.
      if (kept === undefined || kept.expiresAt >= expiresAt) return false;
      artifacts.set(id, { ...kept, expiresAt, text });
      return true;
    },
    remove: async (id, sessionKey) => remove(id, sessionKey),
    async sweep(nowMs) {
      const swept: NewArtifact[] = [];
      await inSlices(artifacts.keys(), (id) => {
        if (!isExpired(id, nowMs)) return;
        const record = decodeRecord(get(id)?.text ?? "");
        if (remove(id) && record !== undefined) swept.push(record);
      });
      return swept;
    },
  };
}
