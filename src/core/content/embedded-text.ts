import { fieldOf } from "../../util/field-of.js";
import { isRecord } from "../../util/is-record.js";

/** The text that a content block holds as data, and the block without it. */
export interface EmbeddedText {
  readonly text: string;
  /** Its address, its type and what is said of it, with a sentence in place of the text. */
  readonly emptied: Readonly<Record<string, unknown>>;
}

/** Stands in a block for the text that left it. */
export const ELSEWHERE = "The text of this resource is in the output above.";

/**
 * The text of a block that holds it as data: a resource of the Model Context Protocol, as a server sends it or as
 * LangChain's adapters hand it on, LangChain's `text-plain`, and Anthropic's `document`. `undefined` for any other block,
 * one of bytes among them, and for a text that is no longer than what would stand for it.
 */
export function embeddedText(block: unknown): EmbeddedText | undefined {
  if (!isRecord(block)) return undefined;
  const type = fieldOf(block, "type");
  if (type === "text-plain" || (type === "file" && fieldOf(block, "source_type") === "text")) {
    const text = longText(fieldOf(block, "text"));
    return text === undefined ? undefined : { text, emptied: { ...block, text: ELSEWHERE } };
  }
  const resource = fieldOf(block, "resource");
  if (type === "resource" && isRecord(resource) && typeof fieldOf(resource, "uri") === "string") {
    const text = longText(fieldOf(resource, "text"));
    if (text === undefined) return undefined;
    return { text, emptied: { ...block, resource: { ...resource, text: ELSEWHERE } } };
  }
  const source = fieldOf(block, "source");
  if (type === "document" && isRecord(source)) {
    const field = fieldOf(source, "type") === "text" ? "data" : "content";
    const text = longText(textOf(fieldOf(source, field)));
    if (text === undefined || !["text", "content"].includes(String(source["type"]))) {
      return undefined;
    }
    return { text, emptied: { ...block, source: { ...source, [field]: ELSEWHERE } } };
  }
  return undefined;
}

/** A string, or the texts of a list of blocks that are all text. */
function textOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const texts: readonly unknown[] = content.map((block) => fieldOf(block, "text"));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : undefined;
}

function longText(text: unknown): string | undefined {
  return typeof text === "string" && text.length > ELSEWHERE.length ? text : undefined;
}
