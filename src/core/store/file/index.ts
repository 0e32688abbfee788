import { tmpdir } from "node:os";
import { resolve } from "node:path";
import * as z from "zod";
import pLimit from "p-limit";

import { callback, checkedOptions, notEmpty, optionsOf } from "../../../util/option-rules.js";
import type { StoredArtifact } from "../../types/artifact.js";
import type { ArtifactStore, NewArtifact } from "../artifact-store.js";
import {
  bodyPath,
  closeFile,
  folderState,
  readRange,
  removeIfEmpty,
  sessionFolder,
} from "./files.js";
import { directorySweeps, noteExpiry } from "./sweep.js";
import { bodyState, type LoadedRecord, loadRecord, openBody, scanDirectory } from "./read.js";
import { refreshArtifact, removeArtifact, writeArtifact } from "./write.js";
import {
  clampRange,
  collectPage,
  expired,
  goneError,
  readFailed,
  writeFailed,
} from "../store-driver.js";
import { OffloadError } from "../../types/errors.js";

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
   * With `"session"` the files of each session are in a folder of their own, which goes with the last of
   * them. Its name is the beginning of the session's hash: 32 hexadecimal digits. What was stored under the other
   * value is found too.
   *
   * @defaultValue `"none"`: all files are in the directory itself
   */
  readonly folders?: "none" | "session";
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
const schema = optionsOf({
  directory: notEmpty('a path, such as "./offloads"').optional(),
  folders: z.enum(["none", "session"]).optional(),
  fsync: z.boolean().optional(),
  now: callback.optional(),
});

/**
 * Keeps each artifact as a file of its own that the model's shell can read too, with a hidden JSON
 * file beside it. Files are created for this user only (mode 0600), never through a link and
 * never over another file, and other processes may use the directory at the same time.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function fileStore(options: FileStoreOptions = {}): ArtifactStore {
  const checked = checkedOptions<FileStoreOptions>("fileStore", schema, options);
  const { fsync = false, now = Date.now, folders = "none" } = checked;
  const directory = resolve(checked.directory ?? tmpdir());
  const limitWrites = pLimit(MAX_OPEN_FILES);
  const limitReads = pLimit(MAX_OPEN_FILES);
  const sweeps = directorySweeps(directory);

  /** Where the files of a scope are; `undefined` for what is no scope. */
  function placeOf(scope: string): string | undefined {
    return folders === "session" ? sessionFolder(directory, scope) : directory;
  }

  /**
   * Where they may be found, the likelier place first: `folders` may have been something else before. A folder that
   * somebody else put there is not looked into.
   */
  async function* placesOf(scope: string): AsyncGenerator<string> {
    const folder = sessionFolder(directory, scope);
    if (folder === undefined) return;
    if (folders === "none") yield directory;
    if ((await folderState(folder)) === "own") yield folder;
    if (folders === "session") yield directory;
  }

  async function writablePlaceOf(scope: string): Promise<string> {
    const place = placeOf(scope);
    if (place === undefined) throw new TypeError("The artifact has no scope.");
    if (place !== directory && (await folderState(place)) === "foreign") {
      throw new Error(`${place} is a link, or no folder of this user`);
    }
    return place;
  }

  async function findRecord(id: string, scope: string): Promise<PlacedRecord | undefined> {
    for await (const place of placesOf(scope)) {
      const loaded = await loadRecord(place, id);
      if (loaded?.record.scope === scope) return { place, ...loaded };
    }
    return undefined;
  }

  /** One whose record is there and has not expired. */
  async function findAlive(id: string, scope: string): Promise<PlacedRecord | undefined> {
    const found = await findRecord(id, scope);
    return found === undefined || found.record.expiresAt <= now() ? undefined : found;
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
    bodies: "files",
    async put(artifact, body) {
      try {
        const place = await writablePlaceOf(artifact.scope);
        const record = await limitWrites(async () => {
          const noted = noteExpiry(directory, place, artifact);
          const written = await writeArtifact(place, artifact, body, { fsync, root: directory });
          // A sweep may have begun the index before the record was there, or dropped the line of what had expired already.
          const isKnown = (await noted) && written.expiresAt > now();
          if (!isKnown) await noteExpiry(directory, place, written);
          return written;
        });
        sweeps.note(record.expiresAt);
        return stored(place, record);
      } catch (error) {
        const place = placeOf(artifact.scope);
        if (place !== undefined && place !== directory) await removeIfEmpty(place);
        throw writeFailed(`Storing a tool output in ${directory}`, error);
      }
    },
    async stat(id, scope) {
      return reading("Looking up a stored output", async () => {
        const found = await findAlive(id, scope);
        return found && statWhere(found);
      });
    },
    async statExpired(id, scope) {
      return reading("Looking up an expired output", async () => {
        const found = await findRecord(id, scope);
        if (found === undefined || found.record.expiresAt > now()) return undefined;
        return stored(found.place, found.record);
      });
    },
    async read(artifact, range) {
      return reading("Reading a stored output", async () => {
        // Names, size and expiry come from the sidecar; a caller's copy is only a request.
        const found = await findRecord(artifact.id, artifact.scope);
        if (found === undefined) throw goneError(artifact, now());
        if (found.record.expiresAt <= now()) throw expired(found.record);
        const { place, record } = found;
        const file = await openBody(place, record);
        if (file === undefined) throw goneError(artifact, now());
        try {
          return await readRange(file, clampRange(range, record.sizeBytes));
        } finally {
          await closeFile(file, 0);
        }
      });
    },
    async list(scope, page = {}) {
      return reading("Listing stored outputs", async () => {
        const ids = new Set<string>();
        for await (const place of placesOf(scope)) {
          for (const id of (await scanDirectory(place)).sidecars) ids.add(id);
        }
        return collectPage(ids, page, async (id) => {
          const found = await findAlive(id, scope);
          return found && statWhere(found);
        });
      });
    },
    async refresh(id, scope, expiresAt) {
      try {
        const found = await findAlive(id, scope);
        if (found === undefined || found.record.expiresAt >= expiresAt) return false;
        await noteExpiry(directory, found.place, { id, expiresAt });
        return await refreshArtifact(found.place, id, expiresAt);
      } catch (error) {
        throw OffloadError.isInstance(error)
          ? error
          : writeFailed("Prolonging a stored output", error);
      }
    },
    async delete(id, scope) {
      try {
        const found = await findRecord(id, scope);
        if (found === undefined) return false;
        const isRemoved = await removeArtifact(found.place, found.record);
        if (found.place !== directory) await removeIfEmpty(found.place);
        return isRemoved;
      } catch (error) {
        throw writeFailed("Deleting a stored output", error);
      }
    },
    async sweep(nowMs) {
      return reading("Sweeping stored outputs", () => sweeps.sweep(nowMs));
    },
    nextExpiry: async () => sweeps.nextExpiry(),
  };
}

/** A record and the folder of its files. */
interface PlacedRecord extends LoadedRecord {
  readonly place: string;
}

function stored(place: string, record: NewArtifact): StoredArtifact {
  return { ...record, filePath: bodyPath(place, record) };
}

async function statWhere({ place, record }: PlacedRecord): Promise<StoredArtifact | undefined> {
  return (await bodyState(place, record)) === "matching" ? stored(place, record) : undefined;
}
