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
}

export function createCatalogue(directory: string, now: () => number): Catalogue {
  let known: ReadonlyMap<string, StoredArtifact> = new Map();

  return {
    directory,
    store: fileStore({ directory, now }),
    async listing() {
      const listing = await listDirectory(directory, now(), known);
      known = new Map(listing.artifacts.map((artifact) => [artifact.id, artifact]));
      return listing;
    },
    async find(id) {
      const artifact = await artifactInDirectory(directory, id);
      if (artifact !== undefined && artifact.expiresAt > now()) return artifact;
      throw new HttpFault(404, "There is no such output any more.");
    },
  };
}
