import { ELSEWHERE, embeddedText } from "../../core/content/content-blocks.js";
import { elementTexts, placeAt, textAt, withValueAt } from "../../core/content/json/json-text.js";
import { isRecord } from "../../util/is-record.js";

/** What a text block says; `undefined` for another block. */
export function textOf(block: unknown): string | undefined {
  if (!isRecord(block) || block["type"] !== "text") return undefined;
  return typeof block["text"] === "string" ? block["text"] : undefined;
}

/** The text of a block that is an embedded resource; `undefined` for other blocks, and for a resource that is bytes. */
export function resourceText(block: unknown): string | undefined {
  return isRecord(block) && "resource" in block ? embeddedText(block)?.text : undefined;
}

/** The same block without its text: its address and its type stay, in their spelling. */
export function withoutResourceText(json: string): string {
  return withValueAt(json, ["resource", "text"], JSON.stringify(ELSEWHERE));
}

/** JSON of a text block. Where it stands for one block alone, what that says beside its text stays. */
export function textBlock(text: string, replaced: readonly string[] = []): string {
  const [only = '{"type":"text"}'] = replaced.length === 1 ? replaced : [];
  return withValueAt(only, ["text"], JSON.stringify(text));
}

/** The JSON of a member, as it is spelled. */
export function memberOf(json: string, key: string): string | undefined {
  const place = placeAt(json, [key]);
  return place && textAt(json, place);
}

/** The JSON of each element of an array, as it is spelled. */
export function elementsAt(json: string, keys: readonly string[]): readonly string[] {
  const place = placeAt(json, keys);
  return (place && elementTexts(json, place)) ?? [];
}
