import type { StoredArtifact } from "../types/artifact.js";
import type { ArtifactStore } from "./artifact-store.js";

/**
 * A session's artifacts, oldest first: all of them, or those of the first `maxPages` pages.
 *
 * @throws {@link OffloadError} whatever the store throws.
 */
export async function listArtifacts(
  store: Pick<ArtifactStore, "list">,
  scope: string,
  maxPages: number = Infinity,
): Promise<StoredArtifact[]> {
  const artifacts: StoredArtifact[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const listed = await store.list(scope, { cursor });
    artifacts.push(...listed.artifacts);
    cursor = listed.cursor;
    if (cursor === undefined) break;
  }
  return artifacts;
}
