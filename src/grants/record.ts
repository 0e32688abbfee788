import { createHash } from "node:crypto";

import type { ArtifactStore, NewArtifact } from "../store/artifact-store.js";
import type { StoredArtifact } from "../types/artifact.js";

const TOOL_NAME = "grant";
/** No text has this byte, so no session has the scope of a grant. */
const NO_TEXT = Uint8Array.of(0xff);

/** Writes down that a grant is in force: an empty artifact that goes by itself when the grant is over. */
export async function writeRecord(
  store: ArtifactStore,
  grantId: string,
  { createdAt, expiresAt }: Pick<StoredArtifact, "createdAt" | "expiresAt">,
): Promise<void> {
  const record: NewArtifact = {
    id: grantId,
    fileName: `${TOOL_NAME}-${grantId}.txt`,
    kind: "text",
    layout: "text",
    encoding: "utf-8",
    toolName: TOOL_NAME,
    operation: TOOL_NAME,
    detail: "full",
    sizeBytes: 0,
    headerBytes: 0,
    lineCount: 0,
    tokens: 0,
    tokensExact: true,
    recipes: [],
    fields: [],
    createdAt,
    expiresAt,
    scope: scopeOfGrant(grantId),
    onlyCopy: true,
  };
  await store.put(record, []);
}

/** Whether a grant is in force. @throws what the store throws */
export async function hasRecord(
  store: Pick<ArtifactStore, "stat">,
  grantId: string,
): Promise<boolean> {
  return (await store.stat(grantId, scopeOfGrant(grantId))) !== undefined;
}

/** Whether there was one to delete. @throws what the store throws */
export async function deleteRecord(store: ArtifactStore, grantId: string): Promise<boolean> {
  return await store.delete(grantId, scopeOfGrant(grantId));
}

/** Whether a stored artifact is a grant's record, and no output: also an encrypted one whose key is not given. */
export function isRecordOfGrant({ id, scope }: Pick<StoredArtifact, "id" | "scope">): boolean {
  return scope === scopeOfGrant(id);
}

/** Only who knows the grant's id can name it. */
function scopeOfGrant(grantId: string): string {
  return createHash("sha256").update(NO_TEXT).update(grantId).digest("hex");
}
