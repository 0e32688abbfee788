import { OffloadError } from "../types/errors.js";
import type { StoredArtifact } from "../types/artifact.js";
import type { ArtifactPage } from "./artifact-store.js";

/** Artifacts a page when a list does not say. */
export const DEFAULT_PAGE_SIZE: number = 1000;

/** Which page of a list is wanted. */
export interface PageRequest {
  readonly cursor?: string | undefined;
  readonly pageSize?: number;
}

/**
 * Checks the size of a page.
 *
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when it is not a whole number of at least 1.
 */
export function checkPageSize(pageSize: number): void {
  if (Number.isInteger(pageSize) && pageSize >= 1) return;
  throw new OffloadError(
    "INVALID_ARGUMENTS",
    `pageSize is ${pageSize}; it must be a whole number of at least 1.`,
  );
}

/**
 * Collects one page, oldest first: ids are sorted, which is by creation time, and the cursor is the
 * last id of the page before.
 *
 * @param ids - All ids of the store, in any order; foreign and expired ones included.
 * @param load - The artifact of an id, or `undefined` when it is not to be listed.
 * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when `pageSize` is not a whole number of at least 1.
 */
export async function collectPage(
  ids: Iterable<string>,
  { cursor = "", pageSize = DEFAULT_PAGE_SIZE }: PageRequest,
  load: (id: string) => Promise<StoredArtifact | undefined>,
): Promise<ArtifactPage> {
  checkPageSize(pageSize);
  const artifacts: StoredArtifact[] = [];
  const later = [...ids].filter((id) => id > cursor).toSorted();
  for (const id of later) {
    const artifact = await load(id);
    if (artifact === undefined) continue;
    // One more than the page holds is there, so the page is not the last one.
    if (artifacts.length === pageSize) return { artifacts, cursor: artifacts.at(-1)?.id };
    artifacts.push(artifact);
  }
  return { artifacts, cursor: undefined };
}
