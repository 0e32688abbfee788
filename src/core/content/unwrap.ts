import type { ToolOutput, UnwrappedOutput } from "../types/output.js";
import { type BlockList, readBlocks } from "./content-blocks.js";
import { isString, listOf } from "../../util/as-kind.js";
import { fieldOf } from "../../util/field-of.js";
import { jsonOf } from "./value/any-json.js";
import { preBudgetSet } from "./mif/memory-schema.js";
import {
  joinStructuredContent,
  joinTexts,
  repeatsMedia,
  splitMcpText,
} from "./structured-content.js";

const NO_BLOCKS: readonly unknown[] = [];

/**
 * Takes the text out of a tool output.
 *
 * A string is its own text. Content blocks give their texts, bare strings and embedded resources, joined with line
 * feeds; other blocks are kept. Anything else gives its JSON. `structuredContent` of an MCP server and resources in
 * the artifact are joined; copies count once, and a short remark becomes the first kept block. Memories in the
 * artifact replace a text that is no longer than they are, and so does a `resultSet`. Never throws; a value without
 * JSON has no text.
 */
export function unwrapOutput(
  output: Pick<ToolOutput, "value" | "artifact" | "keptBlocks">,
  resultSet?: unknown,
): UnwrappedOutput {
  const { value, artifact, keptBlocks: beside } = output;
  if (resultSet !== undefined)
    return withSet(unwrapOutput({ value: resultSet }).text, unwrapOutput(output), value);
  if (beside && typeof value === "string") return { text: value, keptBlocks: beside };
  const memories = preBudgetSet(artifact);
  if (memories !== undefined)
    return withSet(memories, unwrapOutput({ ...output, artifact: undefined }), value);
  if (typeof value === "string") return joined([value], artifact, NO_BLOCKS);
  const { texts, records = value, keptBlocks = NO_BLOCKS } = blocksIn(value) ?? {};
  if (texts !== undefined) return joined(texts, artifact, keptBlocks);
  const json = jsonOf(records);
  const all = joined(json === undefined || json === "[]" ? [] : [json], artifact, keptBlocks);
  return { ...all, text: all.text ?? json };
}

/** An answer that is longer than the set is no part of it. */
function withSet(set: string | undefined, own: UnwrappedOutput, value: unknown): UnwrappedOutput {
  if ((own.text?.length ?? 0) > (set?.length ?? 0)) return own;
  return { text: set, keptBlocks: blocksIn(value, Infinity)?.besideBlocks ?? NO_BLOCKS };
}

/** `undefined` for anything but a list of content blocks. */
export function blocksIn(value: unknown, maxOtherCharacters?: number): BlockList | undefined {
  return Array.isArray(value)
    ? unlessThrown(() => readBlocks(value, maxOtherCharacters))
    : undefined;
}

/** A getter may throw. */
function unlessThrown<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function joined(
  given: readonly string[],
  artifact: unknown,
  keptBlocks: readonly unknown[],
): UnwrappedOutput {
  const [only = ""] = given;
  const wrapped = given.length === 1 ? splitMcpText(only) : undefined;
  const texts = [...(wrapped === undefined ? given : [wrapped.text]), ...resourceTexts(artifact)];
  // The message's own copy wins.
  const structured = wrapped?.structured ?? structuredText(artifact, keptBlocks);
  if (texts.length === 0) return { text: structured, keptBlocks };
  const { text, beside } =
    structured === undefined ? joinTexts(texts) : joinStructuredContent(texts, structured);
  if (beside === undefined) return { text, keptBlocks };
  return { text, keptBlocks: [{ type: "text", text: beside }, ...keptBlocks] };
}

function resourceTexts(artifact: unknown): readonly string[] {
  const texts = unlessThrown(() =>
    entriesOf(artifact, "resource").map((entry) => fieldOf(fieldOf(entry, "resource"), "text")),
  );
  return (texts ?? []).filter(isString);
}

function structuredText(artifact: unknown, beside: readonly unknown[]): string | undefined {
  return unlessThrown(() => {
    const data = entriesOf(artifact, "mcp_structured_content").map((entry) =>
      fieldOf(entry, "data"),
    );
    const found = data.find((one) => typeof one === "object" && one !== null);
    return repeatsMedia(found, beside) ? undefined : JSON.stringify(found);
  });
}

function entriesOf(artifact: unknown, type: string): readonly unknown[] {
  return listOf(artifact).filter((entry) => fieldOf(entry, "type") === type);
}
