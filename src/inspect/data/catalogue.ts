import type { ArtifactStore } from "../../core/store/artifact-store.js";
import {
  artifactInDirectory,
  type DirectoryListing,
  listDirectory,
} from "../../core/store/file/directory.js";
import { fileStore } from "../../core/store/file/index.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { HttpFault } from "../server/guard.js";

export interface Catalogue {
  readonly directory: string;
  readonly store: ArtifactStore;
  listing(): Promise<DirectoryListing>;
  /** @throws {@link HttpFault} when the output does not exist or has expired. */
  readonly find: (id: string) => Promise<StoredArtifact>;
  /** Only of outputs in the last listing. */
  readonly toolOf: (id: string) => string | undefined;
}

const FRESH_MS = 1000;

export function createCatalogue(directory: string, now: () => number): Catalogue {
  let known: ReadonlyMap<string, StoredArtifact> = new Map();
  let latest: Promise<DirectoryListing> | undefined;
  let freshUntil = 0;

  async function list(): Promise<DirectoryListing> {
    const found = await listDirectory(directory, now(), known);
    known = new Map(found.artifacts.map((artifact) => [artifact.id, artifact]));
    return found;
  }

  function listing(): Promise<DirectoryListing> {
    if (latest !== undefined && now() < freshUntil) return latest;
    freshUntil = Infinity;
    latest = list().finally(() => (freshUntil = now() + FRESH_MS));
    return latest;
  }

  return {
    directory,
    store: fileStore({ directory, now }),
    listing,
    async find(id) {
      const listed = known.get(id);
      const isThere = listed !== undefined && listed.expiresAt > now();
      const artifact = isThere ? listed : await artifactInDirectory(directory, id);
      if (artifact !== undefined && artifact.expiresAt > now()) return artifact;
      throw new HttpFault(404, "There is no such output any more.");
    },
    toolOf: (id) => known.get(id)?.toolName,
  };
}
