import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { orAborted } from "../../util/abort.js";
import { grouped } from "../../util/amounts.js";
import { makeDirectory } from "../../util/files.js";
import { keepLatest } from "../../util/keep-latest.js";
import { sha256Of } from "../content/bytes.js";
import type { ArtifactStore, ReadingStore } from "../store/artifact-store.js";
import { isPrivateFolder } from "../store/file/files.js";
import { fileStore } from "../store/file/index.js";
import { newArtifactId } from "../store/naming.js";
import type { StoredArtifact } from "../types/artifact.js";
import { OffloadError } from "../types/errors.js";
import { bodySource, type DataSource } from "./data-source.js";

export interface BodyCache {
  /**
   * Gives `use` the store's file, a copy on the local disk for later calls, or bytes if the body is small or
   * encrypted. Concurrent calls share one copy.
   *
   * @throws What the store or `use` throws; {@link OffloadError} with code `LIMIT_EXCEEDED` for a body that cannot be
   * copied, `ARTIFACT_DAMAGED` for changed bytes; the signal's reason when it aborts.
   */
  with<T>(
    artifact: StoredArtifact,
    signal: AbortSignal | undefined,
    use: (source: DataSource) => Promise<T>,
  ): Promise<T>;
  /** Deletes the copies of a session, or of one output. Never rejects. @param key - A session key or an id. */
  readonly forget: (key: string) => Promise<void>;
  /** Deletes copies of outputs that are gone, and what other processes left. Never rejects. */
  readonly sweep: () => Promise<void>;
  close(): Promise<void>;
}

interface Copy {
  readonly sessionKey: string;
  readonly sizeBytes: number;
  readonly stop: AbortController;
  users: number;
  file?: StoredArtifact | undefined;
  making?: Promise<StoredArtifact | undefined> | undefined;
}

const MAX_BYTES = 1024 ** 3;
const MAX_AGE_MS = 3_600_000;
const MAX_MEMORY_BYTES = 64 * 1024 ** 2;
/** Smaller bodies are read each time, which is faster than a file. */
const DIRECT_BYTES = 1024 * 1024;
const PIECE_BYTES = 4 * 1024 * 1024;

export function createBodyCache(
  store: ReadingStore,
  now: () => number,
  // A file store in it adds atomic writes, mode 0600, expiry, and cleanup after crashes.
  directory: string = join(tmpdir(), `langchain-offload-spool-${process.geteuid?.() ?? "user"}`),
  maxBytes: number = MAX_BYTES,
): BodyCache {
  const { maxMemoryBytes = MAX_MEMORY_BYTES } = store;
  let opening: Promise<ArtifactStore | undefined> | undefined;
  const copies = new Map<string, Copy>();

  async function drop(id: string, copy: Copy) {
    if (copies.get(id) === copy) copies.delete(id);
    copy.stop.abort();
    await copy.making?.catch(() => undefined);
    const files = await openFolder();
    const { file } = copy;
    if (file !== undefined) await files?.delete(file.id, file.sessionKey).catch(() => false);
  }

  /** `undefined` if others may write to it. Never rejects. */
  function openFolder(): Promise<ArtifactStore | undefined> {
    return (opening ??= isPrivate(directory).then((isSafe) =>
      isSafe ? fileStore({ directory, now }) : undefined,
    ));
  }

  async function makeRoom(files: ArtifactStore): Promise<boolean> {
    await files.sweep(now()).catch(() => []);
    let usedBytes = 0;
    for (const copy of copies.values()) usedBytes += copy.sizeBytes;
    for (const [id, copy] of copies) {
      if (usedBytes <= maxBytes) break;
      if (copy.users > 0 || copy.making !== undefined) continue;
      usedBytes -= copy.sizeBytes;
      await drop(id, copy);
    }
    return usedBytes <= maxBytes;
  }

  async function make(artifact: StoredArtifact, copy: Copy): Promise<StoredArtifact | undefined> {
    const files = await openFolder();
    if (files === undefined) return undefined;
    const { file } = copy;
    // It may have expired since.
    copy.file = file && (await files.stat(file.id, file.sessionKey).catch(() => undefined));
    if (copy.file === undefined && (await makeRoom(files)))
      copy.file = await fetchCopy(files, artifact, copy.stop.signal);
    return copy.file;
  }

  async function fetchCopy(
    files: ArtifactStore,
    artifact: StoredArtifact,
    stop: AbortSignal,
  ): Promise<StoredArtifact | undefined> {
    let fault: { readonly cause: unknown } | undefined;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      const { bodySha256 = "", headerBytes, sizeBytes } = artifact;
      const hash = createHash("sha256");
      try {
        for (let start = 0; start < sizeBytes; start += PIECE_BYTES) {
          stop.throwIfAborted();
          const end = Math.min(start + PIECE_BYTES, sizeBytes);
          const piece = await store.read(artifact, { start, end });
          hash.update(piece.subarray(Math.max(0, headerBytes - start)));
          yield piece;
        }
        if (bodySha256 !== "" && hash.digest("hex") !== bodySha256) throw damaged(artifact);
      } catch (cause) {
        fault = { cause };
        throw cause;
      }
    }
    const expiresAt = Math.min(artifact.expiresAt, now() + MAX_AGE_MS);
    const id = newArtifactId(now());
    try {
      return await files.put({ ...artifact, id, fileName: `${id}.bodyCache`, expiresAt }, pieces());
    } catch {
      // The caller gets a fault of the store, but not of the disk.
      if (fault !== undefined) throw fault.cause;
      return undefined;
    }
  }

  async function withCopy<T>(
    artifact: StoredArtifact,
    signal: AbortSignal | undefined,
    use: (source: DataSource) => Promise<T>,
  ): Promise<T> {
    const { id, sessionKey, sizeBytes } = artifact;
    const stop = new AbortController();
    const copy: Copy = copies.get(id) ?? { sessionKey, sizeBytes, stop, users: 0 };
    keepLatest(copies, id, copy, Infinity);
    copy.users += 1;
    try {
      copy.making ??= make(artifact, copy).finally(() => {
        copy.making = undefined;
        if (copy.file === undefined && copies.get(id) === copy) copies.delete(id);
      });
      const file = await orAborted(copy.making, signal);
      return await use(file === undefined ? await inMemory(artifact) : bodySource(file));
    } finally {
      copy.users -= 1;
    }
  }

  async function inMemory(artifact: StoredArtifact): Promise<DataSource> {
    const { bodySha256, headerBytes, sizeBytes } = artifact;
    if (store.bodies !== "memory" && sizeBytes > maxMemoryBytes) {
      const why =
        store.bodies === "sealed"
          ? `is encrypted, and is held in memory only up to ${grouped(maxMemoryBytes)} bytes`
          : `is in a shared store, and the cache of this machine has no room for it (${grouped(maxBytes)} bytes, ${directory})`;
      const message = `This output of ${grouped(sizeBytes)} bytes ${why}. Read parts of it instead.`;
      throw new OffloadError("LIMIT_EXCEEDED", message);
    }
    const bytes = await store.read(artifact, { start: headerBytes, end: sizeBytes });
    if (bodySha256 !== undefined && (await sha256Of(bytes)) !== bodySha256) throw damaged(artifact);
    return { bytes };
  }

  return {
    async with(artifact, signal, use) {
      if (artifact.filePath !== undefined) return await use(bodySource(artifact));
      const isNeverOnDisk = store.bodies === "memory" || store.bodies === "sealed";
      const isDirect = isNeverOnDisk || artifact.sizeBytes <= DIRECT_BYTES;
      return isDirect ? await use(await inMemory(artifact)) : await withCopy(artifact, signal, use);
    },
    async forget(key) {
      for (const [id, copy] of copies)
        if (key === id || key === copy.sessionKey) await drop(id, copy);
    },
    async sweep() {
      if (store.bodies !== "remote") return;
      await (await openFolder())?.sweep(now()).catch(() => []);
      for (const [id, copy] of copies) {
        const isThere = await store.stat(id, copy.sessionKey).catch(() => true);
        if (isThere === undefined) await drop(id, copy);
      }
    },
    async close() {
      for (const [id, copy] of copies) await drop(id, copy);
      await opening;
      opening = undefined;
    },
  };
}

function damaged({ id, sizeBytes }: StoredArtifact): OffloadError {
  return new OffloadError(
    "ARTIFACT_DAMAGED",
    `The stored output ${id} is damaged: its ${grouped(sizeBytes)} bytes are not those that were stored. If a tool made it, call that tool again.`,
  );
}

async function isPrivate(directory: string): Promise<boolean> {
  try {
    await makeDirectory(directory);
    return isPrivateFolder(await lstat(directory));
  } catch {
    return false;
  }
}
