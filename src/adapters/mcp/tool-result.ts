import { textOf } from "../../core/content/content-blocks.js";
import { placeAt, textAt, withTextAt, withValueAt } from "../../core/content/json/json-text.js";
import { mediaBlock } from "../../core/content/media/media-block.js";
import { preBudgetSet } from "../../core/content/mif/memory-schema.js";
import {
  type JoinedContent,
  joinStructuredContent,
  joinTexts,
  repeatsMedia,
} from "../../core/content/structured-content.js";
import { parsedJson } from "../../core/content/value/any-json.js";
import { resultText } from "../../core/pipeline/inline.js";
import { internals, type Offloader } from "../../core/pipeline/offloader.js";
import { operationOf } from "../../core/store/naming.js";
import { listOf } from "../../util/as-kind.js";
import { fieldOf } from "../../util/field-of.js";
import { elementsAt, resourceText, textBlock, withoutResourceText } from "./content-blocks.js";
import { redactedResult, type ToolCall } from "./redact-result.js";
import type { ToolOutput } from "../../core/types/output.js";
import type { JsonObject } from "../../util/is-record.js";

export type AnsweredToolCall = ToolCall & Pick<ToolOutput, "args" | "sessionId">;

/**
 * The texts of a tool result, those of embedded resources and its structured content are one output. A result that
 * stays inline, is unfinished or is an error is returned as the same text. Never rejects.
 */
export async function offloadResult(
  offloader: Offloader,
  json: string,
  result: JsonObject,
  call: AnsweredToolCall,
): Promise<string> {
  const redacted = await redactedResult(offloader, json, result, call);
  const own: JsonObject = redacted === json ? result : JSON.parse(redacted);
  const isFinished = (own["resultType"] ?? "complete") === "complete";
  if (!isFinished || own["isError"] === true) return redacted;
  return await withoutMedia(offloader, await withoutTexts(offloader, redacted, own, call), call);
}

const withoutTexts: typeof offloadResult = async (offloader, json, result, call) => {
  const { content, structuredContent: data } = result;
  const blocks = listOf(content);
  const texts = blocks.flatMap((block) => textOf(block) ?? resourceText(block) ?? []);
  const hasData = (data ?? null) !== null && !repeatsMedia(data, blocks);
  const place = hasData ? placeAt(json, ["structuredContent"]) : undefined;
  if (place === undefined && texts.length === 0) return json;
  const { text: value, beside } = joined(texts, place && textAt(json, place), result, call);
  const output = { ...outputOf(call), value, keptBlocks: [] };
  const made = await offloader.offload(output);
  const { outcome } = made;
  const isLeft = outcome === "inline" && made.value === value;
  const text = isLeft ? made.text : resultText(made);
  if (text === undefined) return json;
  const replaced: string[] = [];
  const isAlone = blocks.some((block) => textOf(block) === beside);
  const kept = beside === undefined || isAlone ? [] : [textBlock(beside)];
  for (const [index, spelled] of elementsAt(json, ["content"]).entries()) {
    const block = blocks[index];
    const own = textOf(block);
    if (own !== undefined) (own === beside ? kept : replaced).push(spelled);
    else kept.push(resourceText(block) === undefined ? spelled : withoutResourceText(spelled));
  }
  let shortened = json;
  if (place !== undefined && !isLeft) {
    const isMarked = typeof fieldOf(parsedJson(text), "offloaded") === "boolean";
    const told = isMarked ? text : JSON.stringify({ offloaded: outcome === "offloaded", text });
    shortened = withTextAt(json, place, told);
  }
  const shown = [textBlock(text, replaced), ...kept].join(",");
  return withValueAt(shortened, ["content"], `[${shown}]`);
};

function joined(
  texts: readonly string[],
  data: string | undefined,
  result: JsonObject,
  { toolName }: AnsweredToolCall,
): JoinedContent {
  if (data === undefined) return joinTexts(texts);
  // The text beside the whole set is what a budget left of it.
  const isSet =
    operationOf(toolName) === "inject" && preBudgetSet(result["structuredContent"]) !== undefined;
  return isSet ? { text: data } : joinStructuredContent(texts, data);
}

function outputOf(call: AnsweredToolCall) {
  return { ...call, turn: call.toolCallId, redacted: true as const };
}

async function withoutMedia(
  offloader: Offloader,
  json: string,
  call: AnsweredToolCall,
): Promise<string> {
  if (internals(offloader).host.wrapOutput === undefined) return json;
  const spelled = elementsAt(json, ["content"]);
  const blocks = spelled.map((text): unknown => JSON.parse(text));
  const files = blocks.filter((block) => mediaBlock(block) !== undefined);
  const changed = await offloader.offload({ ...outputOf(call), value: files });
  const isStored = changed.outcome === "inline" && (changed.media ?? []).length > 0;
  if (!isStored || !Array.isArray(changed.value)) return json;
  const stored: readonly unknown[] = changed.value;
  const shown = new Map(files.map((file, index) => [file, stored[index]]));
  const written = blocks.map((block, index) => {
    const own = shown.get(block) ?? block;
    return own === block ? spelled[index] : JSON.stringify(own);
  });
  const list = `[${written.join(",")}]`;
  const content = withValueAt(json, ["content"], list);
  const place = placeAt(json, ["structuredContent"]);
  const data: unknown = place && JSON.parse(textAt(json, place));
  if (!repeatsMedia(data, blocks)) return content;
  // Output schemas accept descriptors, not blocks without their data.
  const [key = "content"] = Object.keys(Object(data));
  const told = `{"offloaded":true,${JSON.stringify(key)}:${list}}`;
  return withValueAt(content, ["structuredContent"], told);
}
