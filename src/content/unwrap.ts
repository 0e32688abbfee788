import type { ToolOutput, UnwrappedOutput } from "../types.js";
import { hasBlocksOnly } from "./content-blocks.js";
import { jsonOf } from "./json-of.js";
import { preBudgetSet } from "./mif/pre-budget-set.js";
import { splitMcpText } from "./mcp-text.js";
import { joinStructuredContent } from "./structured-content.js";

const NO_BLOCKS: readonly unknown[] = [];

/**
 * Takes the text out of what a tool returned.
 *
 * A string is its own text. An array of content blocks gives the texts of its text blocks, joined
 * with line feeds, and keeps the other blocks as they are. Everything else gives its JSON. Data that
 * an MCP server sent beside its text (`structuredContent`) are joined with that text: a copy counts
 * once, and a short remark becomes the first of the kept blocks.
 * Memories in the artifact are the whole of a set of which the text is what a budget left: they stand
 * for it. A `resultSet` that is not `undefined` stands for text and artifact alike.
 * Never throws: a value without JSON gives `String(value)`, or no text.
 */
export function unwrapOutput(
  output: Pick<ToolOutput, "value" | "artifact" | "unwrapped">,
  resultSet?: unknown,
): UnwrappedOutput {
  const { value, artifact } = output;
  if (resultSet !== undefined) {
    const { text } = unwrapOutput({ value: resultSet });
    return { text, keptBlocks: blocksBesideText(value) };
  }
  if (output.unwrapped && typeof value === "string") return { text: value, keptBlocks: NO_BLOCKS };
  const memories = preBudgetSet(artifact);
  if (memories !== undefined) return { text: memories, keptBlocks: blocksBesideText(value) };
  if (typeof value === "string") return unwrapTexts([value], artifact, NO_BLOCKS);
  if (Array.isArray(value) && hasBlocksOnly(value)) {
    const texts = value.flatMap(({ type, text }) =>
      type === "text" && text !== undefined ? [text] : [],
    );
    return unwrapTexts(texts, artifact, blocksBesideText(value));
  }
  const text = stringify(value);
  const structured = structuredText(artifact);
  if (structured === undefined) return { text, keptBlocks: NO_BLOCKS };
  // No content at all beside structured content reads as an empty list.
  return join(text === undefined || text === "[]" ? [] : [text], structured, NO_BLOCKS);
}

function blocksBesideText(value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || !hasBlocksOnly(value)) return NO_BLOCKS;
  return value.filter((block) => block.type !== "text");
}

function unwrapTexts(
  given: readonly string[],
  artifact: unknown,
  keptBlocks: readonly unknown[],
): UnwrappedOutput {
  const [only] = given;
  if (only === undefined) return { text: structuredText(artifact), keptBlocks };
  const wrapped = given.length === 1 ? splitMcpText(only) : undefined;
  const texts = wrapped === undefined ? given : [wrapped.text];
  // The message's own copy comes first: whatever worked on it, such as redaction, left the artifact alone.
  const structured = wrapped?.structured ?? structuredText(artifact);
  if (structured === undefined) return { text: texts.join("\n"), keptBlocks };
  return join(texts, structured, keptBlocks);
}

function join(
  texts: readonly string[],
  structured: string,
  keptBlocks: readonly unknown[],
): UnwrappedOutput {
  const { text, beside } = joinStructuredContent(texts, structured);
  if (beside === undefined) return { text, keptBlocks };
  return { text, keptBlocks: [{ type: "text", text: beside }, ...keptBlocks] };
}

/** The MCP adapters put `structuredContent` into LangChain's artifact, as one entry of an array. */
function structuredText(artifact: unknown): string | undefined {
  if (!Array.isArray(artifact)) return undefined;
  for (const entry of artifact as readonly unknown[]) {
    if (typeof entry !== "object" || entry === null || !("type" in entry)) continue;
    if (entry.type !== "mcp_structured_content" || !("data" in entry)) continue;
    if (typeof entry.data !== "object" || entry.data === null) continue;
    try {
      return JSON.stringify(entry.data);
    } catch {
      // The message's own content is still there.
      return undefined;
    }
  }
  return undefined;
}

function stringify(value: unknown): string | undefined {
  try {
    return jsonOf(value);
  } catch {
    // A cycle, or a `toJSON` that throws.
  }
  try {
    return String(value);
  } catch {
    return undefined;
  }
}
