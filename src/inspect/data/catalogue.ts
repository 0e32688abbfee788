import { dirname } from "node:path";

import type { ArtifactStore } from "../../core/store/artifact-store.js";
import {
  artifactInDirectory,
  type DirectoryListing,
  listDirectory,
} from "../../core/store/file/directory.js";
import { fileStore } from "../../core/store/file/index.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { keepLatest } from "../../util/keep-latest.js";
import { HttpFault } from "../server/http-fault.js";

/** What a directory holds, kept in mind between two looks at it. */
export interface Catalogue {
  readonly directory: string;
  /** Everything of all sessions, as it was at most a second ago. */
  listing(): Promise<DirectoryListing>;
  /**
   * One output, as it is now.
   *
   * @throws {@link HttpFault} when it is not there, or its time is over.
   */
  find(id: string): Promise<StoredArtifact>;
  /** The tool of an output that the last listing had; `undefined` for any other id. */
  readonly toolOf: (id: string) => string | undefined;
  /** The store that an output lies in: that of its folder. */
  storeOf(artifact: StoredArtifact): ArtifactStore;
}

/** A listing younger than this is given again. */
const FRESH_MS = 1000;
/** Folders of sessions whose stores are kept. */
const MAX_STORES = 64;

/** Looks into one directory of a file store. Writes nothing. */
export function createCatalogue(directory: string, now: () => number): Catalogue {
  const stores = new Map<string, ArtifactStore>();
  let known: ReadonlyMap<string, StoredArtifact> = new Map();
  let listed: { readonly at: number; readonly listing: Promise<DirectoryListing> } | undefined;

  async function list(): Promise<DirectoryListing> {
    const found = await listDirectory(directory, now(), undefined, known);
    known = new Map(found.artifacts.map((artifact) => [artifact.id, artifact]));
    return found;
  }

  /** A look that goes on is waited for, however long it takes. */
  async function listing(): Promise<DirectoryListing> {
    if (listed !== undefined && now() - listed.at < FRESH_MS) return await listed.listing;
    const mine = { at: Number.POSITIVE_INFINITY, listing: list() };
    listed = mine;
    try {
      const found = await mine.listing;
      if (listed === mine) listed = { at: now(), listing: mine.listing };
      return found;
    } catch (error) {
      listed = undefined;
      throw error;
    }
  }

  return {
    directory,
    listing,
    async find(id) {
      const artifact = known.get(id) ?? (await artifactInDirectory(directory, id));
      if (artifact === undefined) throw new HttpFault(404, "There is no such output any more.");
      if (artifact.expiresAt > now()) return artifact;
      const again = await artifactInDirectory(directory, id);
      if (again !== undefined && again.expiresAt > now()) return again;
      throw new HttpFault(404, "This output has expired.");
    },
    toolOf: (id) => known.get(id)?.toolName,
    storeOf({ filePath }) {
      const folder = dirname(filePath ?? directory);
      const store = stores.get(folder) ?? fileStore({ directory: folder, now });
      keepLatest(stores, folder, store, MAX_STORES);
      return store;
    },
  };
}
