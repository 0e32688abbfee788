import { callback, checkedOptions, count, optionsOf } from "../../util/option-rules.js";
import { inSlices } from "../../util/slices.js";
import type { StoredArtifact } from "../types/artifact.js";
import { encodeRecord } from "./artifact-record.js";
import type { ArtifactStore, NewArtifact } from "./artifact-store.js";
import { checkChunk, checkLength, forEachChunk } from "./body/chunks.js";
import { clampRange, collectPage, expired, goneError, writeFailed } from "./store-driver.js";

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

interface Entry {
  artifact: StoredArtifact;
  readonly body: Uint8Array;
}

const HOUR_MS = 3_600_000;
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
  const entries = new Map<string, Entry>();
  // What a session has, and what expires in an hour: a list and a sweep look at nothing else.
  const sessions = createGroups<string, string>();
  const hours = createGroups<number, Entry>();
  // Ids and bytes of puts that are under way count at once, so that parallel puts cannot overbook.
  const writing = new Set<string>();
  let usedBytes = 0;

  function find(id: string, scope: string): Entry | undefined {
    const entry = entries.get(id);
    return entry?.artifact.scope === scope ? entry : undefined;
  }

  async function stat(id: string, scope: string): Promise<StoredArtifact | undefined> {
    const entry = find(id, scope);
    if (entry === undefined || entry.artifact.expiresAt <= now()) return undefined;
    return structuredClone(entry.artifact);
  }

  function add(entry: Entry): void {
    const { id, scope, expiresAt } = entry.artifact;
    entries.set(id, entry);
    sessions.add(scope, id);
    hours.add(hourOf(expiresAt), entry);
  }

  /** Whether it was still there. */
  function remove(entry: Entry): boolean {
    const { id, scope, expiresAt, sizeBytes } = entry.artifact;
    if (!entries.delete(id)) return false;
    sessions.remove(scope, id);
    hours.remove(hourOf(expiresAt), entry);
    usedBytes -= sizeBytes;
    return true;
  }

  function* expiredBy(nowMs: number): Generator<Entry> {
    for (const hour of hours.keys()) {
      if (hour > hourOf(nowMs)) continue;
      for (const entry of hours.of(hour)) if (entry.artifact.expiresAt <= nowMs) yield entry;
    }
  }

  function reserve({ id, sizeBytes }: NewArtifact): void {
    if (entries.has(id) || writing.has(id)) throw new Error(`The id ${id} is taken.`);
    if (usedBytes + sizeBytes > maxBytes) {
      for (const entry of expiredBy(now())) remove(entry);
    }
    if (usedBytes + sizeBytes > maxBytes) {
      throw new Error(
        `${sizeBytes} bytes do not fit: ${usedBytes} of ${maxBytes} bytes are in use. ` +
          "Raise maxBytes or use a file store.",
      );
    }
    writing.add(id);
    usedBytes += sizeBytes;
  }

  return {
    name: "memory",
    bodies: "memory",
    async put(artifact, body) {
      try {
        const { record } = encodeRecord(artifact);
        reserve(record);
        try {
          const bytes = await collect(body, record.sizeBytes);
          add({ artifact: record, body: bytes });
        } catch (error) {
          usedBytes -= record.sizeBytes;
          throw error;
        } finally {
          writing.delete(record.id);
        }
        return structuredClone(record);
      } catch (error) {
        throw writeFailed("Storing a tool output in memory", error);
      }
    },
    stat,
    async read(artifact, range) {
      const entry = find(artifact.id, artifact.scope);
      if (entry === undefined) throw goneError(artifact, now());
      if (entry.artifact.expiresAt <= now()) throw expired(artifact);
      const { start, end } = clampRange(range, entry.body.length);
      return entry.body.slice(start, end);
    },
    async list(scope, page = {}) {
      return collectPage(sessions.of(scope), page, async (id) => stat(id, scope));
    },
    async refresh(id, scope, expiresAt) {
      const entry = find(id, scope);
      if (entry === undefined || entry.artifact.expiresAt <= now()) return false;
      if (entry.artifact.expiresAt >= expiresAt) return false;
      hours.remove(hourOf(entry.artifact.expiresAt), entry);
      entry.artifact = { ...entry.artifact, expiresAt };
      hours.add(hourOf(expiresAt), entry);
      return true;
    },
    async delete(id, scope) {
      const entry = find(id, scope);
      return entry !== undefined && remove(entry);
    },
    async sweep(nowMs) {
      const swept: StoredArtifact[] = [];
      await inSlices(expiredBy(nowMs), (entry) => {
        if (remove(entry)) swept.push(entry.artifact);
      });
      return swept;
    },
  };
}

function hourOf(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS);
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

/** Items under a key; a key without items is forgotten. */
interface Groups<Key, Item> {
  add(key: Key, item: Item): void;
  remove(key: Key, item: Item): void;
  of(key: Key): Iterable<Item>;
  keys(): Iterable<Key>;
}

function createGroups<Key, Item>(): Groups<Key, Item> {
  const groups = new Map<Key, Set<Item>>();
  return {
    add(key, item) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, new Set([item]));
      else group.add(item);
    },
    remove(key, item) {
      const group = groups.get(key);
      group?.delete(item);
      if (group?.size === 0) groups.delete(key);
    },
    of: (key) => groups.get(key) ?? [],
    keys: () => groups.keys(),
  };
}
