import { fieldOf } from "../util/field-of.js";
import { isRecord } from "../util/is-record.js";

/** The text of a resource that stands in an output, and its block without it. */
export interface EmbeddedText {
  readonly text: string;
  /** Its address, its type and what is said of it, with a sentence in place of the text. */
  readonly emptied: Readonly<Record<string, unknown>>;
}

/** Stands in a resource for the text that left it. */
export const ELSEWHERE = "The text of this resource is in the output above.";

/**
 * The text of a resource of the Model Context Protocol, as a server sends it or as LangChain's adapters hand it on: a file
 * block with a text. `undefined` for any other block, one of bytes among them, and for a text that is no longer than
 * what would stand for it.
 */
export function embeddedText(block: unknown): EmbeddedText | undefined {
  if (!isRecord(block)) return undefined;
  const type = fieldOf(block, "type");
  if (type === "file" && fieldOf(block, "source_type") === "text") {
    const text = longText(fieldOf(block, "text"));
    return text === undefined ? undefined : { text, emptied: { ...block, text: ELSEWHERE } };
  }
  const resource = fieldOf(block, "resource");
  if (type !== "resource" || !isRecord(resource)) return undefined;
  const text = longText(fieldOf(resource, "text"));
  if (text === undefined || typeof fieldOf(resource, "uri") !== "string") return undefined;
  return { text, emptied: { ...block, resource: { ...resource, text: ELSEWHERE } } };
}

function longText(text: unknown): string | undefined {
  return typeof text === "string" && text.length > ELSEWHERE.length ? text : undefined;
}
