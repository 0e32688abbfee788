import type { StoredArtifact } from "../types/artifact.js";

/** Text that is a document of another notation than JSON: stored as it came, for jq a value. */
export type Markup = "xml" | "html" | "yaml";

/** How an output is read as a value; `undefined` for what is JSON, a table or plain text. */
export function markupOf({
  layout,
  kind,
}: Pick<StoredArtifact, "layout" | "kind">): Markup | undefined {
  if (layout !== "text") return undefined;
  return kind === "xml" || kind === "html" || kind === "yaml" ? kind : undefined;
}

/**
 * Whether a body is one JSON value, so that a filter sees all of it at once: a document that is stored as it came.
 * JSON lines stored as they came are several values, on whatever lines they stand.
 */
export function isOneValue({ layout, kind }: Pick<StoredArtifact, "layout" | "kind">): boolean {
  return layout === "document" && kind !== "json-lines";
}
