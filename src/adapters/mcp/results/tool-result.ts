import { preBudgetSet } from "../../../core/content/mif/memory-schema.js";
import { cursorIn } from "../../../core/content/cursor/live-cursor.js";
import {
  type JoinedContent,
  joinStructuredContent,
  joinTexts,
} from "../../../core/content/structured-content.js";
import { CURSOR_CHARACTERS } from "../../../core/describe/next-page.js";
import type { Offloader } from "../../../core/pipeline/create-offloader.js";
import { operationOf } from "../../../core/store/naming.js";
import type { LiveCursor } from "../../../core/types/output.js";
import {
  elementTexts,
  placeAt,
  textAt,
  withValueAt,
} from "../../../core/content/json/json-text.js";
import { isRecord } from "../../../util/is-record.js";
import { structuredDescriptor } from "../output-schema.js";
import { redactResult } from "./redact-result.js";
import { resourceText, withoutResourceText } from "./resource-text.js";
import type { AnsweredToolCall } from "./answered-tool-call.js";
import { withoutMedia } from "./media-blocks.js";
import { textBlock, textOf } from "./text-block.js";

/** The texts of a result, and the rest of its content as it came. */
interface ResultParts {
  readonly text: string;
  /** JSON of content blocks that stay in the result. */
  readonly kept: readonly string[];
  /** JSON of the text blocks that do not. */
  readonly replaced: readonly string[];
  readonly structured: string | undefined;
}

/**
 * Walks the result of a tool call: its texts and its structured content are one output, in the
 * spelling in which they came. What stays inline, what is no finished result, and errors come back
 * as the same text. The text of an embedded resource is one of its texts, and its block stays without it. Images, audio, other resources and links stay beside a descriptor, and so do `_meta` and every
 * field that is not known, of the result and of the texts that leave it. A cursor among these is told in the descriptor, since
 * clients show a model the content alone. Never rejects.
 *
 * @param json - Text of the result, valid JSON.
 * @param result - The same, parsed.
 */
export async function offloadResult(
  offloader: Offloader,
  json: string,
  result: unknown,
  call: AnsweredToolCall,
): Promise<string> {
  if (!isRecord(result)) return json;
  const redacted = await redactResult(offloader, { json, result, ...call });
  const isFinished = (result["resultType"] ?? "complete") === "complete";
  if (redacted.isWithheld || !isFinished) return redacted.json;
  const walked = await walkResult(offloader, redacted.json, redacted.result, call);
  return await withoutMedia(offloader, walked, call);
}

async function walkResult(
  offloader: Offloader,
  json: string,
  result: Readonly<Record<string, unknown>>,
  call: AnsweredToolCall,
): Promise<string> {
  if (result["isError"] === true) return json;
  const parts = partsOf(json, result, call);
  if (parts === undefined) return json;
  const { toolName, args, callId, sessionId, link } = call;
  const nextPage = await cursorBeside(json, result);
  const walked = await offloader.offload({
    toolName,
    args,
    toolCallId: callId,
    // Its text and its files do not make room for each other.
    turn: callId,
    sessionId,
    value: parts.text,
    unwrapped: true,
    redacted: true,
    nextPage,
  });
  const { outcome, text } = walked;
  if (text === undefined) return json;
  const page = outcome === "inline" ? [] : wholeCursor(nextPage);
  const pointer = walked.outcome === "offloaded" ? link?.(walked.storedArtifact) : undefined;
  const links = pointer === undefined ? [] : [pointer];
  const blocks = [textBlock(text, parts.replaced), ...page, ...links, ...parts.kept];
  const shortened = withValueAt(json, ["content"], `[${blocks.join(",")}]`);
  if (parts.structured === undefined || outcome === "inline") return shortened;
  const descriptor = structuredDescriptor(text, outcome === "offloaded");
  return withValueAt(shortened, ["structuredContent"], descriptor);
}

/** Members whose words are of the result itself, and not beside it. */
const OWN_MEMBERS = new Set(["content", "structuredContent", "isError", "resultType"]);

/** What the other members of a result say of the page after it, in `_meta` too. */
async function cursorBeside(
  json: string,
  result: Readonly<Record<string, unknown>>,
): Promise<LiveCursor | undefined> {
  const members = Object.keys(result).flatMap((key) => {
    const place = OWN_MEMBERS.has(key) ? undefined : placeAt(json, [key]);
    return place === undefined ? [] : [`${JSON.stringify(key)}:${textAt(json, place)}`];
  });
  if (members.length === 0) return undefined;
  return await cursorIn(Buffer.from(`{${members.join(",")}}`), []);
}

/** A block with the whole of a cursor for which a descriptor has no room. */
function wholeCursor(cursor: LiveCursor | undefined): readonly string[] {
  if (typeof cursor?.value !== "string" || cursor.value.length <= CURSOR_CHARACTERS) return [];
  const { path, value, cut } = cursor;
  const text = JSON.stringify({ cursor_at: path.join("."), cursor: cut ? `${value}…` : value });
  return [JSON.stringify({ type: "text", text })];
}

function partsOf(
  json: string,
  result: Readonly<Record<string, unknown>>,
  { toolName }: AnsweredToolCall,
): ResultParts | undefined {
  const place = placeAt(json, ["content"]);
  const spelled = (place && elementTexts(json, place)) ?? [];
  const blocks: readonly unknown[] = Array.isArray(result["content"]) ? result["content"] : [];
  const kept = spelled.flatMap((json, index) => {
    if (resourceText(blocks[index]) !== undefined) return [withoutResourceText(json)];
    return textOf(blocks[index]) === undefined ? [json] : [];
  });
  const replaced = spelled.filter((_, index) => textOf(blocks[index]) !== undefined);
  const texts = blocks.flatMap((block) => textOf(block) ?? resourceText(block) ?? []);
  const data = result["structuredContent"] ?? undefined;
  const structured = data === undefined ? undefined : placeAt(json, ["structuredContent"]);
  if (structured === undefined) {
    return texts.length === 0 ? undefined : withRemark(joinTexts(texts));
  }
  const dataText = textAt(json, structured);
  if (operationOf(toolName) === "inject" && preBudgetSet(data) !== undefined) {
    // The text beside the whole set is what a budget left of it.
    return { text: dataText, kept, replaced, structured: dataText };
  }
  return withRemark(joinStructuredContent(texts, dataText), dataText);

  function withRemark({ text, beside }: JoinedContent, dataText?: string): ResultParts {
    const remark = beside === undefined ? [] : [JSON.stringify({ type: "text", text: beside })];
    return { text, kept: [...remark, ...kept], replaced, structured: dataText };
  }
}
