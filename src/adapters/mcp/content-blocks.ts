import { ELSEWHERE, embeddedText } from "../../core/content/content-blocks.js";
import { withValueAt, placeAt, textAt } from "../../core/content/json/json-text.js";
import { isRecord } from "../../util/is-record.js";

/** What a text block says; `undefined` for another block. */
export function textOf(block: unknown): string | undefined {
  if (!isRecord(block) || block["type"] !== "text") return undefined;
  return typeof block["text"] === "string" ? block["text"] : undefined;
}

/**
 * The text of a block that is an embedded resource; `undefined` for other blocks, and for a resource that is bytes,
 * which stays where it is.
 */
export function resourceText(block: unknown): string | undefined {
  return isRecord(block) && "resource" in block ? embeddedText(block)?.text : undefined;
}

/** The same block, without its text: its address, its type and what is said of it stay, in their spelling. */
export function withoutResourceText(json: string): string {
  return withValueAt(json, ["resource", "text"], JSON.stringify(ELSEWHERE));
}

/**
 * JSON of a text block that stands for others, with what they say beside their text. One block keeps all of it, in its
 * spelling. Of several, that is kept in which they agree, so that nothing is said of a text that was said of another.
 *
 * @param replaced - JSON of the text blocks that it stands for; may be none.
 */
export function textBlock(text: string, replaced: readonly string[] = []): string {
  const [first, ...others] = replaced;
  const value = JSON.stringify(text);
  if (first === undefined) return `{"type":"text","text":${value}}`;
  if (others.length === 0) return withValueAt(first, ["text"], value);
  const beside = Object.keys(JSON.parse(first)).flatMap((key) => {
    const said = key === "type" || key === "text" ? undefined : memberOf(first, key);
    const isAgreed = said !== undefined && others.every((other) => memberOf(other, key) === said);
    return isAgreed ? [`,${JSON.stringify(key)}:${said}`] : [];
  });
  return `{"type":"text","text":${value}${beside.join("")}}`;
}

/** The JSON of a member, as it is spelled. */
export function memberOf(json: string, key: string): string | undefined {
  const place = placeAt(json, [key]);
  return place && textAt(json, place);
}
