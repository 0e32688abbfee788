import { cursorIn } from "../../core/content/cursor/live-cursor.js";
import { withValueAt, elementTexts, placeAt } from "../../core/content/json/json-text.js";
import { mediaBlock } from "../../core/content/media/media-block.js";
import { preBudgetSet } from "../../core/content/mif/memory-schema.js";
import {
  type JoinedContent,
  joinStructuredContent,
  joinTexts,
} from "../../core/content/structured-content.js";
import { CURSOR_CHARACTERS } from "../../core/describe/next-page.js";
import { internals, type Offloader } from "../../core/pipeline/offloader.js";
import { operationOf } from "../../core/store/naming.js";
import type { LiveCursor } from "../../core/types/output.js";
import { isRecord } from "../../util/is-record.js";
import {
  memberOf,
  resourceText,
  textBlock,
  textOf,
  withoutResourceText,
} from "./content-blocks.js";
import { structuredDescriptor } from "./output-schema.js";
import { redactedResult } from "./redact-result.js";

type McpResult = Readonly<Record<string, unknown>>;

/** The call that a result answers. */
export interface AnsweredToolCall {
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>> | undefined;
  /** The same for the same call: a result that is fetched twice is stored once. */
  readonly callId: string;
  readonly sessionId: string;
}

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
 * as the same text. The text of an embedded resource is one of its texts, and its block stays without it. Images, audio,
 * other resources and links stay beside a descriptor, and so do `_meta` and every field that is not known, of the result
 * and of the texts that leave it. A cursor among these is told in the descriptor, since clients show a model the content
 * alone. Where media are stored, a descriptor stands in the place of each large one. Never rejects.
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
  const redacted = await redactedResult(offloader, json, result, call);
  const own: McpResult = redacted === json ? result : JSON.parse(redacted);
  const isFinished = (own["resultType"] ?? "complete") === "complete";
  if (!isFinished || own["isError"] === true) return redacted;
  const walked = await withoutTexts(offloader, redacted, own, call);
  return await withoutMedia(offloader, walked, call);
}

async function withoutTexts(
  offloader: Offloader,
  json: string,
  result: McpResult,
  call: AnsweredToolCall,
): Promise<string> {
  const parts = partsOf(json, result, call);
  if (parts === undefined) return json;
  const nextPage = cursorBeside(json, result);
  const value = parts.text;
  const { outcome, text } = await offloader.offload({
    ...outputOf(call),
    value,
    unwrapped: true,
    nextPage,
  });
  if (text === undefined) return json;
  const page = outcome === "inline" ? [] : wholeCursor(nextPage);
  const blocks = [textBlock(text, parts.replaced), ...page, ...parts.kept];
  const shortened = withValueAt(json, ["content"], `[${blocks.join(",")}]`);
  if (parts.structured === undefined || outcome === "inline") return shortened;
  const descriptor = structuredDescriptor(text, outcome === "offloaded");
  return withValueAt(shortened, ["structuredContent"], descriptor);
}

/** Text and files of a call are of one turn of its own: they do not make room for each other. */
function outputOf({ toolName, args, callId, sessionId }: AnsweredToolCall) {
  return { toolName, args, toolCallId: callId, turn: callId, sessionId, redacted: true as const };
}

/** Large images, sounds and resources of bytes as descriptors, with what is said of each beside its bytes. */
async function withoutMedia(
  offloader: Offloader,
  json: string,
  call: AnsweredToolCall,
): Promise<string> {
  if (internals(offloader).host.wrapOutput === undefined) return json;
  const blocks = contentTexts(json).map((text) => ({ text, block: JSON.parse(text) as unknown }));
  const files = blocks.map(({ block }) => block).filter((block) => mediaBlock(block) !== undefined);
  const walked = await offloader.offload({ ...outputOf(call), value: files });
  const isStored = walked.outcome === "inline" && (walked.media ?? []).length > 0;
  if (!isStored || !Array.isArray(walked.value)) return json;
  const shown: readonly unknown[] = walked.value;
  const written = blocks.map(({ text, block }) => {
    const at = files.indexOf(block);
    return at === -1 || shown[at] === block ? text : withRemarks(JSON.stringify(shown[at]), text);
  });
  return withValueAt(json, ["content"], `[${written.join(",")}]`);
}

/** With what is said of the block that it stands for, such as whom it is for. */
function withRemarks(block: string, replaced: string): string {
  return ["annotations", "_meta"].reduce((own, key) => {
    const said = memberOf(replaced, key);
    return said === undefined ? own : withValueAt(own, [key], said);
  }, block);
}

/** The content blocks of a result, as they are spelled. */
function contentTexts(json: string): readonly string[] {
  const place = placeAt(json, ["content"]);
  return (place && elementTexts(json, place)) ?? [];
}

/** Members whose words are of the result itself, and not beside it. */
const OWN_MEMBERS = new Set(["content", "structuredContent", "isError", "resultType"]);

/** What the other members of a result say of the page after it, in `_meta` too. */
function cursorBeside(
  json: string,
  result: Readonly<Record<string, unknown>>,
): LiveCursor | undefined {
  const members = Object.keys(result).flatMap((key) => {
    const said = OWN_MEMBERS.has(key) ? undefined : memberOf(json, key);
    return said === undefined ? [] : [`${JSON.stringify(key)}:${said}`];
  });
  if (members.length === 0) return undefined;
  return cursorIn(`{${members.join(",")}}`, []);
}

/** A block with the whole of a cursor for which a descriptor has no room. */
function wholeCursor(cursor: LiveCursor | undefined): readonly string[] {
  if (typeof cursor?.value !== "string" || cursor.value.length <= CURSOR_CHARACTERS) return [];
  const { path, value } = cursor;
  return [textBlock(JSON.stringify({ cursor_at: path.join("."), cursor: value }))];
}

function partsOf(
  json: string,
  result: Readonly<Record<string, unknown>>,
  { toolName }: AnsweredToolCall,
): ResultParts | undefined {
  const spelled = contentTexts(json);
  const blocks: readonly unknown[] = Array.isArray(result["content"]) ? result["content"] : [];
  const kept = spelled.flatMap((json, index) => {
    if (resourceText(blocks[index]) !== undefined) return [withoutResourceText(json)];
    return textOf(blocks[index]) === undefined ? [json] : [];
  });
  const replaced = spelled.filter((_, index) => textOf(blocks[index]) !== undefined);
  const texts = blocks.flatMap((block) => textOf(block) ?? resourceText(block) ?? []);
  const data = result["structuredContent"] ?? undefined;
  const dataText = data === undefined ? undefined : memberOf(json, "structuredContent");
  if (dataText === undefined) {
    return texts.length === 0 ? undefined : withRemark(joinTexts(texts));
  }
  if (operationOf(toolName) === "inject" && preBudgetSet(data) !== undefined) {
    // The text beside the whole set is what a budget left of it.
    return { text: dataText, kept, replaced, structured: dataText };
  }
  return withRemark(joinStructuredContent(texts, dataText), dataText);

  function withRemark({ text, beside }: JoinedContent, dataText?: string): ResultParts {
    const remark = beside === undefined ? [] : [textBlock(beside)];
    return { text, kept: [...remark, ...kept], replaced, structured: dataText };
  }
}
