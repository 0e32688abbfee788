import { tmpdir } from "node:os";
import { resolve } from "node:path";
import * as z from "zod";
import pLimit from "p-limit";

import { callback, checkedOptions, notEmpty, optionsOf } from "../../../util/option-rules.js";
import type { StoredArtifact } from "../../types/artifact.js";
import type { ArtifactStore } from "../artifact-store.js";
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
import { type DriverEntry, driverStore, type StoreDriver } from "../store-driver.js";

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
  const driver = fileDriver({ directory, folders, fsync, now });
  return driverStore("file", driver, { now, bodies: "files" });
}

/** A record and the folder of its files. */
interface PlacedRecord extends LoadedRecord {
  readonly place: string;
}

interface Entry extends DriverEntry {
  readonly place: string;
}

function fileDriver({
  directory,
  folders,
  fsync,
  now,
}: Required<FileStoreOptions>): StoreDriver<Entry> {
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

  async function find(id: string, scope: string): Promise<Entry | undefined> {
    const found = await findRecord(id, scope);
    if (found === undefined || (await bodyState(found.place, found.record)) !== "matching")
      return undefined;
    return { ...found, record: stored(found.place, found.record) };
  }

  return {
    async write(encoded, body) {
      const { record } = encoded;
      const place = await writablePlaceOf(record.scope);
      return await limitWrites(async () => {
        try {
          const noted = noteExpiry(directory, place, record);
          await writeArtifact(place, encoded, body, { fsync, root: directory });
          // A sweep may have begun the index before the record was there, or dropped the line of what had expired already.
          const isKnown = (await noted) && record.expiresAt > now();
          if (!isKnown) await noteExpiry(directory, place, record);
        } catch (error) {
          if (place !== directory) await removeIfEmpty(place);
          throw error;
        }
        sweeps.note(record.expiresAt);
      });
    },
    filePath: (record) => bodyPath(placeOf(record.scope) ?? directory, record),
    find: (id, scope) => limitReads(() => find(id, scope)),
    readBytes: ({ place, record }, range) =>
      limitReads(async () => {
        const file = await openBody(place, record);
        if (file === undefined) return undefined;
        try {
          return await readRange(file, range);
        } finally {
          await closeFile(file, 0);
        }
      }),
    listAfter: (scope, afterId, { limit, nowMs }) =>
      limitReads(async () => {
        const ids = new Set<string>();
        for await (const place of placesOf(scope)) {
          for (const id of (await scanDirectory(place)).sidecars) if (id > afterId) ids.add(id);
        }
        const artifacts: StoredArtifact[] = [];
        for (const id of [...ids].toSorted()) {
          const entry = await find(id, scope);
          if (entry !== undefined && entry.record.expiresAt > nowMs) artifacts.push(entry.record);
          if (artifacts.length === limit) break;
        }
        return artifacts;
      }),
    async replace({ place, record: { id } }, expiresAt) {
      await noteExpiry(directory, place, { id, expiresAt });
      return await refreshArtifact(place, id, expiresAt);
    },
    async remove(id, scope) {
      const found = await findRecord(id, scope);
      if (found === undefined) return false;
      const isRemoved = await removeArtifact(found.place, found.record);
      if (found.place !== directory) await removeIfEmpty(found.place);
      return isRemoved;
    },
    sweep: (nowMs) => limitReads(() => sweeps.sweep(nowMs)),
    nextExpiry: async () => sweeps.nextExpiry(),
  };
}

function stored(place: string, record: Entry["record"]): StoredArtifact {
  return { ...record, filePath: bodyPath(place, record) };
}
