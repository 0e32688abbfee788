import type { StoredArtifact } from "../types/artifact.js";
import type { Content } from "../types/content.js";

/** Text that is stored as it came and that jq reads as a value. */
export type Markup = "xml" | "html" | "yaml";

export function markupOf({
  layout,
  kind,
}: Pick<StoredArtifact, "layout" | "kind">): Markup | undefined {
  if (layout !== "text") return undefined;
  return kind === "xml" || kind === "html" || kind === "yaml" ? kind : undefined;
}

/** JSON lines that are stored as they came are several values. */
export function isOneValue({ layout, kind }: Pick<StoredArtifact, "layout" | "kind">): boolean {
  return layout === "document" && kind !== "json-lines";
}

/** Whether jq sees one record at a time. */
export function areSeenSingly(content: Content): boolean {
  return content.records !== undefined && !isOneValue(content);
}
