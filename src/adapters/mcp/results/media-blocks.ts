import {
  elementTexts,
  placeAt,
  textAt,
  withValueAt,
} from "../../../core/content/json/json-text.js";
import { mediaBlock } from "../../../core/content/media/media-block.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import { isRecord } from "../../../util/is-record.js";
import type { AnsweredToolCall } from "./answered-tool-call.js";

/** What is said of a block, such as whom it is for: it holds for what stands in its place. */
const REMARKS = ["annotations", "_meta"];

/**
 * A result in which a descriptor stands in the place of each large image, sound or resource of bytes, with what is said of it beside its bytes; what stays keeps its spelling. The
 * same text where media are not stored, or none is large, and for an error. Never rejects.
 *
 * @param json - Text of the result, valid JSON.
 */
export async function withoutMedia(
  offloader: Offloader,
  json: string,
  { toolName, args, callId, sessionId, link }: AnsweredToolCall,
): Promise<string> {
  if (internals(offloader).host.wrapOutput === undefined) return json;
  const place = placeAt(json, ["content"]);
  const spelled = (place && elementTexts(json, place)) ?? [];
  const result: unknown = JSON.parse(json);
  if (!isRecord(result) || !Array.isArray(result["content"]) || result["isError"] === true) {
    return json;
  }
  const given: readonly unknown[] = result["content"];
  const files = given.filter((block) => mediaBlock(block) !== undefined);
  const call = { toolName, args, toolCallId: callId, turn: callId, sessionId };
  const walked = await offloader.offload({ ...call, value: files, redacted: true });
  const { media: stored = [] } = walked;
  if (walked.outcome !== "inline" || !Array.isArray(walked.value) || stored.length === 0)
    return json;
  const shown: readonly unknown[] = walked.value;
  const blocks = given.map((block) =>
    files.includes(block) ? shown[files.indexOf(block)] : block,
  );
  let next = 0;
  const written = spelled.flatMap((text, index) => {
    const block = blocks[index];
    if (block === given[index]) return [text];
    const artifact = stored[next];
    next += 1;
    const pointer = artifact && link?.(artifact);
    return [withRemarks(JSON.stringify(block), text), ...(pointer === undefined ? [] : [pointer])];
  });
  return withValueAt(json, ["content"], `[${written.join(",")}]`);
}

function withRemarks(block: string, replaced: string): string {
  return REMARKS.reduce((own, key) => {
    const place = placeAt(replaced, [key]);
    return place === undefined ? own : withValueAt(own, [key], textAt(replaced, place));
  }, block);
}
