import type { StoredArtifact } from "../types/artifact.js";

/** A notation other than JSON. Such text is stored as it came, and jq reads it as a value. */
export type Markup = "xml" | "html" | "yaml";

export function markupOf({
  layout,
  kind,
}: Pick<StoredArtifact, "layout" | "kind">): Markup | undefined {
  if (layout !== "text") return undefined;
  return kind === "xml" || kind === "html" || kind === "yaml" ? kind : undefined;
}

/** Whether a body is one JSON value. JSON lines that are stored as they came are several values. */
export function isOneValue({ layout, kind }: Pick<StoredArtifact, "layout" | "kind">): boolean {
  return layout === "document" && kind !== "json-lines";
}
