import { tmpdir } from "node:os";
import { join } from "node:path";

import { OffloadError } from "../errors.js";
import { keepLatest } from "../lifecycle/keep-latest.js";
import type { ArtifactStore, ByteRange } from "../store/artifact-store.js";
import { fileStore } from "../store/file.js";
import type { StoredArtifact } from "../types.js";
import { bodySource, type DataSource } from "./data-source.js";
import { orAborted } from "./or-aborted.js";
import { checkedBody, checkedPieces, fetchTwice } from "./whole-body.js";

/** Where copies of bodies from other machines are kept on this one, and how many. */
export interface SpoolOptions {
  /**
   * Of this user only; processes may share it.
   *
   * @defaultValue `langchain-offload-spool-{user id}` in the system's temporary directory
   */
  readonly directory?: string | undefined;
  /**
   * Largest sum of the copies that this process makes, in bytes; a larger body is not copied.
   *
   * @defaultValue `1_073_741_824`
   */
  readonly maxBytes?: number | undefined;
  /** How long a copy is kept at most, in milliseconds. @defaultValue `3_600_000` */
  readonly maxAgeMs?: number | undefined;
}

/** Gives the engines a place to read a body from, whatever store it lies in. */
export interface Spool {
  /**
   * Calls `use` with an artifact's body without its header line: the file where the store has one,
   * else a copy on this machine's disk, which later calls find there, or in memory when it is small.
   * Calls at the same time share one copy, whose making ends when no caller waits for it any more.
   *
   * @throws What the store or `use` throws; {@link OffloadError} with code `LIMIT_EXCEEDED` for a body
   * that cannot be copied, `ARTIFACT_DAMAGED` for one that came twice with other bytes than were stored; the
   * signal's reason when it aborts.
   */
  with<T>(
    artifact: StoredArtifact,
    signal: AbortSignal | undefined,
    use: (source: DataSource) => Promise<T>,
  ): Promise<T>;
  /** Deletes the copies of a session's bodies. */
  forget(scope: string): Promise<void>;
  /** Deletes the copies that this process made. */
  close(): Promise<void>;
}

/** A copy that is being made, or is there. */
interface Copy {
  readonly scope: string;
  readonly sizeBytes: number;
  readonly stop: AbortController;
  made: Promise<StoredArtifact | undefined>;
  isMade: boolean;
  users: number;
}

/** A body of at most this size is read anew each time, which is faster than a file. */
const DIRECT_BYTES = 1024 * 1024;
/** Largest body that is held in memory where the disk takes no copy. */
const MEMORY_BYTES = 64 * 1024 * 1024;

/** `langchain-offload-spool-{user id}` in the system's temporary directory. */
export function defaultSpoolDirectory(): string {
  return join(tmpdir(), `langchain-offload-spool-${process.geteuid?.() ?? "user"}`);
}

/** Creates a spool over a store. Nothing is written before the first body that needs it. */
export function createSpool(
  store: ArtifactStore,
  now: () => number,
  options: SpoolOptions = {},
): Spool {
  const { maxBytes = 1024 ** 3, maxAgeMs = 3_600_000 } = options;
  const directory = options.directory ?? defaultSpoolDirectory();
  // A store of its own: what it does for outputs (complete or absent, mode 0600, expiry, what a
  // process left that was killed) is what copies need.
  const files = fileStore({ directory, now });
  const copies = new Map<string, Copy>();

  async function drop(id: string, copy: Copy): Promise<void> {
    if (copies.get(id) === copy) copies.delete(id);
    copy.stop.abort();
    await copy.made.catch(() => undefined);
    await files.delete(id, copy.scope).catch(() => false);
  }

  /** Deletes what is over and then, the one not used for longest first, what is too much. */
  async function makeRoom(): Promise<boolean> {
    await files.sweep(now()).catch(() => []);
    let usedBytes = 0;
    for (const copy of copies.values()) usedBytes += copy.sizeBytes;
    for (const [id, copy] of copies) {
      if (usedBytes <= maxBytes) break;
      if (copy.users > 0) continue;
      usedBytes -= copy.sizeBytes;
      await drop(id, copy);
    }
    return usedBytes <= maxBytes;
  }

  /**
   * The copy that is there, as long as it should be. One of another process is read once, to see whether it
   * is what was stored; if not, it goes.
   */
  async function find(
    artifact: StoredArtifact,
    stop: AbortSignal,
    isOurs: boolean,
  ): Promise<StoredArtifact | undefined> {
    const { id, scope, bodySha256 } = artifact;
    const file = await files.stat(id, scope).catch(() => undefined);
    if (file === undefined || isOurs || bodySha256 === undefined) return file;
    try {
      for await (const _ of checkedPieces(artifact, (range) => files.read(file, range))) {
        stop.throwIfAborted();
      }
      return file;
    } catch {
      stop.throwIfAborted();
      await files.delete(id, scope).catch(() => false);
      return undefined;
    }
  }

  /** The copy on disk; `undefined` when there is no room for it. */
  async function make(
    artifact: StoredArtifact,
    stop: AbortSignal,
    isOurs: boolean,
  ): Promise<StoredArtifact | undefined> {
    const there = await find(artifact, stop, isOurs);
    if (there !== undefined || !(await makeRoom())) return there;
    return await fetchTwice(() => fetchCopy(artifact, stop));
  }

  async function fetchCopy(
    artifact: StoredArtifact,
    stop: AbortSignal,
  ): Promise<StoredArtifact | undefined> {
    let fault: { readonly cause: unknown } | undefined;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      try {
        yield* checkedPieces(artifact, (range) => {
          stop.throwIfAborted();
          return store.read(artifact, range);
        });
      } catch (cause) {
        fault = { cause };
        throw cause;
      }
    }
    try {
      const expiresAt = Math.min(artifact.expiresAt, now() + maxAgeMs);
      const copy = { ...artifact, fileName: `${artifact.id}.spool`, expiresAt };
      return await files.put(copy, pieces());
    } catch {
      // The store's fault is the caller's. A disk that is full or read-only is not, nor is another
      // process that was faster.
      if (fault !== undefined) throw fault.cause;
      return await find(artifact, stop, false);
    }
  }

  /** Puts an artifact's copy last in the order of use; begins one where there is none. */
  function copyOf(artifact: StoredArtifact): Copy {
    const { id, scope, sizeBytes } = artifact;
    const before = copies.get(id);
    const stop = before?.stop ?? new AbortController();
    // What was made may be gone by now: its time is over, or somebody tidied up.
    const isMade = before?.isMade ?? false;
    const made = before && !isMade ? before.made : make(artifact, stop.signal, isMade);
    const copy = before ?? { scope, sizeBytes, stop, made, isMade: false, users: 0 };
    copy.made = made;
    keepLatest(copies, id, copy, Infinity);
    return copy;
  }

  async function withCopy<T>(
    artifact: StoredArtifact,
    signal: AbortSignal | undefined,
    use: (source: DataSource) => Promise<T>,
  ): Promise<T> {
    const copy = copyOf(artifact);
    copy.users += 1;
    try {
      const file = await orAborted(copy.made, signal);
      copy.isMade = file !== undefined;
      return await use(file === undefined ? await inMemory(artifact) : bodySource(file));
    } finally {
      copy.users -= 1;
      // Not waited for: a caller that gives up goes at once.
      if (copy.users === 0 && !copy.isMade) void drop(artifact.id, copy);
    }
  }

  async function inMemory(artifact: StoredArtifact): Promise<DataSource> {
    const { sizeBytes } = artifact;
    const isTooLarge = store.inMemory !== true && sizeBytes > MEMORY_BYTES;
    if (isTooLarge) throw tooLarge(sizeBytes, maxBytes, directory);
    const read = (range: ByteRange): Promise<Uint8Array> => store.read(artifact, range);
    return { bytes: await fetchTwice(() => checkedBody(artifact, read)) };
  }

  return {
    async with(artifact, signal, use) {
      if (artifact.filePath !== undefined) return await use(bodySource(artifact));
      const isDirect = store.inMemory === true || artifact.sizeBytes <= DIRECT_BYTES;
      return isDirect ? await use(await inMemory(artifact)) : await withCopy(artifact, signal, use);
    },
    async forget(scope) {
      for (const [id, copy] of copies) if (copy.scope === scope) await drop(id, copy);
    },
    async close() {
      for (const [id, copy] of copies) await drop(id, copy);
    },
  };
}

function tooLarge(sizeBytes: number, maxBytes: number, directory: string): OffloadError {
  return new OffloadError(
    "LIMIT_EXCEEDED",
    `This output of ${sizeBytes.toLocaleString("en-US")} bytes lies in a shared store and has no room in the spool ` +
      `of this machine (${maxBytes.toLocaleString("en-US")} bytes, ${directory}). Read parts of it instead.`,
  );
}
