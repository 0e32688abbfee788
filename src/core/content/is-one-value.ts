import type { StoredArtifact } from "../types/artifact.js";

/**
 * Whether a body is one JSON value, so that a filter sees all of it at once: a document that is stored as it came.
 * JSON lines stored as they came are several values, on whatever lines they stand.
 */
export function isOneValue({ layout, kind }: Pick<StoredArtifact, "layout" | "kind">): boolean {
  return layout === "document" && kind !== "json-lines";
}
