import type { ContentKind } from "../../../core/types/content.js";
import type { StoredArtifact } from "../../../core/types/artifact.js";
import { mediaWords } from "../../../core/content/media/shown-media.js";
import { grouped } from "../../../util/amounts.js";
import { resourceUri, TEMPLATES } from "./resource-uri.js";

const MEDIA_TYPES: Readonly<Partial<Record<ContentKind, string>>> = {
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  xml: "application/xml",
  html: "text/html",
  yaml: "application/yaml",
  markdown: "text/markdown",
  binary: "application/octet-stream",
};

/** The media type of a stored output as it lies in its store. */
export function mediaTypeOf({
  layout,
  kind,
  media,
}: Pick<StoredArtifact, "layout" | "kind" | "media">): string {
  if (media !== undefined) return media.type;
  if (layout === "records") return "application/jsonl";
  if (layout === "document") return "application/json";
  return MEDIA_TYPES[kind] ?? "text/plain";
}

/** What a list and a link say of a stored output: nothing of its data. */
export interface ResourceEntry {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly mimeType: string;
  readonly size: number;
  readonly annotations: { readonly lastModified: string };
}

/** A stored output as one of a list of resources. */
export function resourceEntry(artifact: StoredArtifact): ResourceEntry {
  const { id, fileName, title, toolName, recordCount, lineCount, tokens, createdAt, media } =
    artifact;
  const [count, unit] = recordCount === undefined ? [lineCount, "line"] : [recordCount, "record"];
  const amount = `${grouped(count)} ${unit}${count === 1 ? "" : "s"}, about ${grouped(tokens)} tokens`;
  const what = media === undefined ? amount : mediaWords(media, artifact.sizeBytes);
  return {
    uri: resourceUri(id),
    name: fileName,
    ...(title !== undefined && { title }),
    description: `Output of ${toolName}: ${what}`,
    mimeType: mediaTypeOf(artifact),
    size: artifact.sizeBytes,
    annotations: { lastModified: new Date(createdAt).toISOString() },
  };
}

/** JSON of the block that stands beside a descriptor, for clients that open what it points to. */
export function resourceLink(artifact: StoredArtifact): string {
  const { uri, name, mimeType, size } = resourceEntry(artifact);
  return JSON.stringify({ type: "resource_link", uri, name, mimeType, size });
}

/** JSON of the templates of parts. */
export const TEMPLATE_ENTRIES: readonly string[] = TEMPLATES.map(([uriTemplate, name, part]) =>
  JSON.stringify({ uriTemplate, name, description: `Part of a stored tool output. ${part}.` }),
);
