import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import * as z from "zod";
import pLimit from "p-limit";

import { callback, checkedOptions, notEmpty, optionalsOf } from "../../../util/option-rules.js";
import type { ArtifactStore, NewArtifact } from "../artifact-store.js";
import { driverStore } from "../store-driver.js";
import {
  bodyPath,
  bodyState,
  type FileArtifact,
  type FileRecord,
  folderState,
  loadRecord,
  readBody,
  removeIfEmpty,
  scanDirectory,
  sessionFolder,
} from "./files.js";
import { sweepDirectory } from "./sweep.js";
import { refreshArtifact, removeArtifact, writeArtifact } from "./write.js";

/** Options of {@link fileStore}. */
export interface FileStoreOptions {
  /**
   * Directory of the files. A missing directory is created for this user only (mode 0700), even if it vanishes later.
   *
   * @defaultValue the system's temporary directory
   */
  readonly directory?: string;
  /**
   * With `"session"`, each session has a folder of its own, which is removed with its last file. The folder is named
   * by the first 32 hexadecimal digits of the session's hash. Artifacts stored under the other value are found too.
   *
   * @defaultValue `"none"`: all files are in the directory itself
   */
  readonly folders?: "none" | "session";
  /**
   * Waits until each artifact is on disk, so that it survives a power failure.
   *
   * @defaultValue `false`
   */
  readonly fsync?: boolean;
  /** Unix milliseconds, for expiry. Default: `Date.now`. */
  readonly now?: () => number;
}

const MAX_OPEN_FILES = 32;
const schema = optionalsOf({
  directory: notEmpty('a path, such as "./offloads"'),
  folders: z.enum(["none", "session"]),
  fsync: z.boolean(),
  now: callback,
});

/**
 * Stores each artifact as a file that a shell can read too, with a hidden JSON file beside it. Files are created for
 * this user only (mode 0600), never through a link and never over another file. Several processes may share the
 * directory.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function fileStore(options: FileStoreOptions = {}): ArtifactStore {
  const checked = checkedOptions<FileStoreOptions>("fileStore", schema, options);
  const { fsync = false, now = Date.now, folders = "none" } = checked;
  const directory = resolve(checked.directory ?? tmpdir());
  const limitWrites = pLimit(MAX_OPEN_FILES);
  const limitReads = pLimit(MAX_OPEN_FILES);

  function placeOf({ sessionKey }: NewArtifact): string {
    return folders === "session" ? sessionFolder(directory, sessionKey) : directory;
  }

  /** Both layouts, because `folders` may have changed. */
  async function* placesOf(sessionKey: string): AsyncGenerator<string> {
    yield directory;
    const folder = sessionFolder(directory, sessionKey);
    if ((await folderState(folder)) === "own") yield folder;
  }

  async function findRecord(id: string, sessionKey: string): Promise<FileRecord | undefined> {
    for await (const place of placesOf(sessionKey)) {
      const found = await loadRecord(place, id);
      if (found?.record.sessionKey === sessionKey) return found;
    }
    return undefined;
  }

  async function find(id: string, sessionKey: string): Promise<FileRecord | undefined> {
    const found = await findRecord(id, sessionKey);
    return found && (await bodyState(found.record)) === "whole" ? found : undefined;
  }

  return driverStore<FileRecord>(
    "file",
    {
      write: (encoded, body) =>
        limitWrites(async () => {
          const place = placeOf(encoded.record);
          if (place !== directory && (await folderState(place)) === "foreign") {
            throw new Error(`${place} is a link, or not a folder of this user`);
          }
          try {
            await writeArtifact(place, encoded, body, { fsync, root: directory });
          } catch (error) {
            if (place !== directory) await removeIfEmpty(place);
            throw error;
          }
        }),
      filePath: (record) => bodyPath(placeOf(record), record),
      find: (id, sessionKey) => limitReads(() => find(id, sessionKey)),
      readBytes: ({ record }, range) => limitReads(() => readBody(record, range)),
      page: (sessionKey, after, limit) =>
        limitReads(async () => {
          const ids = new Set<string>();
          for await (const place of placesOf(sessionKey)) {
            for (const id of (await scanDirectory(place)).sidecars) if (id > after) ids.add(id);
          }
          const asked = [...ids].toSorted().slice(0, limit);
          const records: FileArtifact[] = [];
          for (const id of asked) {
            const entry = await find(id, sessionKey);
            if (entry !== undefined) records.push(entry.record);
          }
          return { records, next: asked.length < ids.size ? asked.at(-1) : undefined };
        }),
      replace: ({ record }, expiresAt) => refreshArtifact(record, expiresAt),
      async remove(id, sessionKey) {
        const found = await findRecord(id, sessionKey);
        if (found === undefined) return false;
        const isRemoved = await removeArtifact(found.record, now());
        const place = dirname(found.record.filePath);
        if (place !== directory) await removeIfEmpty(place);
        return isRemoved;
      },
      sweep: (nowMs) => limitReads(() => sweepDirectory(directory, nowMs)),
    },
    now,
    "files",
  );
}
