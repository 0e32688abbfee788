import { fieldOf } from "../../../util/field-of.js";

/** Where `response_metadata` says that a message shows a file, and what that costs. */
export const SHOWN_METADATA = "langchain-offload-shown";

/** What a file costs that a message shows; `undefined` for a message that shows none, or no more. */
export function shownTokens(message: {
  readonly content: unknown;
  readonly response_metadata?: unknown;
}): number | undefined {
  const { content, response_metadata } = message;
  const tokens = fieldOf(fieldOf(response_metadata, SHOWN_METADATA), "tokens");
  const isThere =
    Array.isArray(content) && content.some((block: unknown) => fieldOf(block, "type") !== "text");
  return isThere && typeof tokens === "number" ? tokens : undefined;
}
