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
  const records = await recordsIn(directory);
  const found: StoredArtifact[] = [];
  await mapConcurrent(records, CONCURRENCY, async ({ folder, id }) => {
    const before = known.get(id);
    // Artifacts never change, except for a later expiry.
    const isKnown = before !== undefined && before.expiresAt > nowMs;
    const artifact = isKnown ? before : await loadArtifact(folder, id).catch(() => undefined);
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
  const places = (await recordsIn(directory)).filter((record) => record.id === id);
  return await reading(`Looking up ${id} in ${directory}`, async () => {
    for (const { folder } of places) {
      const artifact = await loadArtifact(folder, id);
      if (artifact !== undefined) return artifact;
    }
    return undefined;
  });
}

async function loadArtifact(directory: string, id: string): Promise<StoredArtifact | undefined> {
  const record = (await loadRecord(directory, id))?.record;
  return record && (await bodyState(record)) === "whole" ? record : undefined;
}

async function recordsIn(
  directory: string,
): Promise<readonly { readonly folder: string; readonly id: string }[]> {
  const found = await reading(`Listing ${directory}`, () => scanFolders(directory));
  return found.flatMap(({ path, sidecars }) => sidecars.map((id) => ({ folder: path, id })));
}
