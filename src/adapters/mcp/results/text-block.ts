import { isRecord } from "../../../util/is-record.js";
import { placeAt, textAt, withValueAt } from "../../../core/content/json/json-text.js";

/** What a text block says; `undefined` for another block. */
export function textOf(block: unknown): string | undefined {
  if (!isRecord(block) || block["type"] !== "text") return undefined;
  return typeof block["text"] === "string" ? block["text"] : undefined;
}

/**
 * JSON of a text block that stands for others, with what they say beside their text. One block keeps all of it, in its
 * spelling. Of several, that is kept in which they agree, so that nothing is said of a text that was said of
 * another; whom they are for is put together.
 *
 * @param replaced - JSON of the text blocks that it stands for; may be none.
 */
export function textBlock(text: string, replaced: readonly string[]): string {
  const [first, ...others] = replaced;
  const value = JSON.stringify(text);
  if (first === undefined) return `{"type":"text","text":${value}}`;
  if (others.length === 0) return withValueAt(first, ["text"], value);
  const members = Object.keys(JSON.parse(first)).filter((key) => key !== "type" && key !== "text");
  const shared = members.flatMap((key) => {
    const said = key === "annotations" ? sharedAnnotations(replaced) : agreedAt(replaced, [key]);
    return said === undefined ? [] : [`${JSON.stringify(key)}:${said}`];
  });
  return `{${['"type":"text"', `"text":${value}`, ...shared].join(",")}}`;
}

/** The JSON that all have in this place. */
function agreedAt(blocks: readonly string[], keys: readonly string[]): string | undefined {
  const [first, ...others] = blocks.map((block) => {
    const place = placeAt(block, keys);
    return place && textAt(block, place);
  });
  return others.every((other) => other === first) ? first : undefined;
}

function sharedAnnotations(blocks: readonly string[]): string | undefined {
  const all = blocks.map((block): unknown => JSON.parse(block).annotations);
  const [first] = all;
  if (!all.every(isRecord) || !isRecord(first)) return undefined;
  const shared = Object.keys(first).flatMap((key) => {
    const said =
      agreedAt(blocks, ["annotations", key]) ??
      (key === "audience" ? everybody(all.map(({ audience }) => audience)) : undefined);
    return said === undefined ? [] : [`${JSON.stringify(key)}:${said}`];
  });
  return shared.length === 0 ? undefined : `{${shared.join(",")}}`;
}

/** A block without an audience is for everybody. */
function everybody(audiences: readonly unknown[]): string | undefined {
  if (!audiences.every(Array.isArray)) return undefined;
  return JSON.stringify([...new Set(audiences.flat())]);
}
