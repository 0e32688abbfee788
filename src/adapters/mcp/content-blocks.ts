import { ELSEWHERE, embeddedText } from "../../core/content/content-blocks.js";
import { elementTexts, placeAt, withValueAt } from "../../core/content/json/json-text.js";
import { isRecord } from "../../util/is-record.js";

export function resourceText(block: unknown): string | undefined {
  return isRecord(block) && "resource" in block ? embeddedText(block)?.text : undefined;
}

export function withoutResourceText(json: string): string {
  return withValueAt(json, ["resource", "text"], JSON.stringify(ELSEWHERE));
}

export function textBlock(text: string, replaced: readonly string[] = []): string {
  const [only = '{"type":"text"}'] = replaced.length === 1 ? replaced : [];
  return withValueAt(only, ["text"], JSON.stringify(text));
}

export function elementsAt(json: string, keys: readonly string[]): readonly string[] {
  const place = placeAt(json, keys);
  return (place && elementTexts(json, place)) ?? [];
}
