import { mapConcurrent } from "../../../util/slices.js";
import type { StoredArtifact } from "../../types/artifact.js";
import { reading } from "../store-driver.js";
import { bodyState, loadRecord, scanFolders } from "./files.js";

export interface DirectoryListing {
  readonly artifacts: readonly StoredArtifact[];
  readonly unreadable: number;
}

const CONCURRENCY = 16;

/**
 * Lists all sessions, so no tool of a model may reach it.
 *
 * @param known - An earlier listing, reused for unexpired records that are still there.
 * @throws {@link OffloadError} with code `STORE_READ_FAILED`. A missing directory is empty.
 */
export async function listDirectory(
  directory: string,
  nowMs: number,
  known: ReadonlyMap<string, StoredArtifact> = new Map(),
): Promise<DirectoryListing> {
  const folders = await reading(`Listing ${directory}`, () => scanFolders(directory));
  const records = folders.flatMap(({ path, sidecars }) => sidecars.map((id) => ({ path, id })));
  const found: StoredArtifact[] = [];
  await mapConcurrent(records, CONCURRENCY, async ({ path, id }) => {
    const before = known.get(id);
    // Artifacts never change, except for a later expiry.
    const isKnown = before !== undefined && before.expiresAt > nowMs;
    const artifact = isKnown ? before : await loadArtifact(path, id).catch(() => undefined);
    if (artifact !== undefined) found.push(artifact);
  });
  const artifacts = found.filter(({ expiresAt }) => expiresAt > nowMs);
  return {
    artifacts: artifacts.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    unreadable: records.length - found.length,
  };
}

/**
 * Ignores sessions and expiry, like {@link listDirectory}.
 *
 * @throws {@link OffloadError} with code `STORE_READ_FAILED`.
 */
export async function artifactInDirectory(
  directory: string,
  id: string,
): Promise<StoredArtifact | undefined> {
  return await reading(`Looking up ${id} in ${directory}`, async () => {
    for (const { path } of await scanFolders(directory)) {
      const artifact = await loadArtifact(path, id);
      if (artifact !== undefined) return artifact;
    }
    return undefined;
  });
}

async function loadArtifact(directory: string, id: string): Promise<StoredArtifact | undefined> {
  const record = (await loadRecord(directory, id))?.record;
  return record && (await bodyState(record)) === "whole" ? record : undefined;
}
