import type { ArtifactStore } from "../artifact-store.js";
import { scopeOf } from "../naming.js";
import type { StoredArtifact } from "../../types/artifact.js";
import { listArtifacts } from "../list-artifacts.js";

/**
 * Deletes what a session has stored, and returns it. Artifacts that another call removes meanwhile
 * are not returned; ending a session twice is harmless.
 *
 * @throws {@link OffloadError} whatever the store throws; what was deleted before stays deleted.
 */
export async function endSession(
  store: ArtifactStore,
  sessionId: string,
): Promise<readonly StoredArtifact[]> {
  const scope = scopeOf(sessionId);
  const removed: StoredArtifact[] = [];
  for (const artifact of await listArtifacts(store, scope)) {
    if (await store.delete(artifact.id, scope)) removed.push(artifact);
  }
  return removed;
}
