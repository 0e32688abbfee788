import { tmpdir } from "node:os";
import { resolve } from "node:path";
import type { StoredArtifact } from "../types.js";
import type { ArtifactStore, NewArtifact } from "./artifact-store.js";
import { readRange } from "./file-body.js";
import { bodyPath } from "./file-layout.js";
import { bodyState, loadRecord, openBody, scanDirectory } from "./file-read.js";
import { refreshArtifact } from "./file-refresh.js";
import { removeArtifact, sweepDirectory } from "./file-sweep.js";
import { writeArtifact } from "./file-write.js";
import { limitConcurrency } from "./limit-concurrency.js";
import { collectPage } from "./page.js";
import { clampRange } from "./range.js";
import { expired, notFound, readFailed, writeFailed } from "./store-error.js";
import { OffloadError } from "../errors.js";

/** Options of {@link fileStore}. */
export interface FileStoreOptions {
  /**
   * Where the files go. A missing directory is created, for this user only (mode 0700), also when
   * it vanishes later.
   *
   * @defaultValue the system's temporary directory
   */
  readonly directory?: string;
  /**
   * Waits until the disk has each artifact, so that it survives a power failure.
   *
   * @defaultValue `false`
   */
  readonly fsync?: boolean;
  /** Unix milliseconds, for expiry. Default: `Date.now`. */
  readonly now?: () => number;
}

/** Files open at once for writing, and as many again for reading; others wait. */
const MAX_OPEN_FILES = 32;

/**
 * Keeps each artifact as a file of its own that the model's shell can read too, with a hidden JSON
 * file beside it. Files are created for this user only (mode 0600), never through a link and
 * never over another file, and other processes may use the directory at the same time.
 */
export function fileStore(options: FileStoreOptions = {}): ArtifactStore {
  const { fsync = false, now = Date.now } = options;
  const directory = resolve(options.directory ?? tmpdir());
  const limitWrites = limitConcurrency(MAX_OPEN_FILES);
  const limitReads = limitConcurrency(MAX_OPEN_FILES);

  function stored(record: NewArtifact): StoredArtifact {
    return { ...record, filePath: bodyPath(directory, record) };
  }

  async function findRecord(id: string, scope: string): Promise<NewArtifact | undefined> {
    const record = await loadRecord(directory, id);
    return record?.scope === scope ? record : undefined;
  }

  async function statNow(id: string, scope: string): Promise<StoredArtifact | undefined> {
    const record = await findRecord(id, scope);
    if (record === undefined || record.expiresAt <= now()) return undefined;
    return (await bodyState(directory, record)) === "matching" ? stored(record) : undefined;
  }

  async function reading<T>(action: string, job: () => Promise<T>): Promise<T> {
    try {
      return await limitReads(job);
    } catch (error) {
      throw OffloadError.isInstance(error) ? error : readFailed(action, error);
    }
  }

  return {
    name: "file",
    async put(artifact, body) {
      try {
        return stored(await limitWrites(() => writeArtifact(directory, artifact, body, { fsync })));
      } catch (error) {
        throw writeFailed(`Storing a tool output in ${directory}`, error);
      }
    },
    async stat(id, scope) {
      return reading("Looking up a stored output", () => statNow(id, scope));
    },
    async statExpired(id, scope) {
      return reading("Looking up an expired output", async () => {
        const record = await findRecord(id, scope);
        return record === undefined || record.expiresAt > now() ? undefined : stored(record);
      });
    },
    async read(artifact, range) {
      if (artifact.expiresAt <= now()) throw expired(artifact);
      return reading("Reading a stored output", async () => {
        // Names, size and expiry come from the sidecar; a caller's copy is only a request.
        const record = await findRecord(artifact.id, artifact.scope);
        if (record === undefined) throw notFound(artifact.id);
        if (record.expiresAt <= now()) throw expired(record);
        const file = await openBody(directory, record);
        if (file === undefined) throw notFound(artifact.id);
        try {
          return await readRange(file, clampRange(range, record.sizeBytes));
        } finally {
          await file.close();
        }
      });
    },
    async list(scope, page = {}) {
      return reading("Listing stored outputs", async () => {
        const { sidecars } = await scanDirectory(directory);
        return collectPage(sidecars, page, (id) => statNow(id, scope));
      });
    },
    async refresh(id, scope, expiresAt) {
      try {
        const record = await findRecord(id, scope);
        if (record === undefined || record.expiresAt <= now()) return false;
        if (record.expiresAt >= expiresAt) return false;
        return await refreshArtifact(directory, record, expiresAt);
      } catch (error) {
        throw writeFailed("Prolonging a stored output", error);
      }
    },
    async delete(id, scope) {
      try {
        const record = await findRecord(id, scope);
        return record !== undefined && (await removeArtifact(directory, record));
      } catch (error) {
        throw writeFailed("Deleting a stored output", error);
      }
    },
    async sweep(nowMs) {
      return reading("Sweeping stored outputs", async () =>
        (await sweepDirectory(directory, nowMs)).map(stored),
      );
    },
  };
}
