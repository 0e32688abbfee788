import { endOfString, endOfValue, isOpening } from "./json/json-ends.js";

const PREFIXES = ['{"type":"text","text":"', '{"type":"text","source_type":"text","text":"'];
const STRUCTURED = ',"structuredContent":';
const META = [',"meta":', ',"_meta":'];

/** What the MCP adapters put into one JSON string. */
export interface McpText {
  /** The text of the text block. */
  readonly text: string;
  /** JSON of the structured content as it stands there; `undefined` when there is only `meta`. */
  readonly structured: string | undefined;
}

/**
 * Takes apart the JSON string that the MCP adapters make of a text block with `structuredContent` or
 * `meta` beside it. `undefined` for any other text, after a look at its first characters.
 */
export function splitMcpText(text: string): McpText | undefined {
  const prefix = PREFIXES.find((candidate) => text.startsWith(candidate));
  if (prefix === undefined || !text.endsWith("}")) return undefined;
  try {
    return splitBlock(text, prefix.length - 1);
  } catch {
    return undefined;
  }
}

function splitBlock(text: string, quote: number): McpText | undefined {
  const afterText = endOfString(text, quote);
  let structured: string | undefined;
  if (text.startsWith(STRUCTURED, afterText)) {
    const start = afterText + STRUCTURED.length;
    const end = endOfContainer(text, start);
    if (end === -1) return undefined;
    if (end !== text.length - 1 && !isMetaTail(text, end)) return undefined;
    structured = text.slice(start, end);
  } else if (!isMetaTail(text, afterText)) return undefined;
  const inner: unknown = JSON.parse(text.slice(quote, afterText));
  return typeof inner === "string" ? { text: inner, structured } : undefined;
}

/** Whether the rest is a `meta` field with an object and the end of the block. */
function isMetaTail(text: string, from: number): boolean {
  const name = META.find((candidate) => text.startsWith(candidate, from));
  return name !== undefined && endOfContainer(text, from + name.length) === text.length - 1;
}

/** Index after the object or array that opens at `open`, or -1 when none does. */
function endOfContainer(text: string, open: number): number {
  return isOpening(text.charCodeAt(open)) ? endOfValue(text, open) : -1;
}
