import type { Markup } from "../../../content/as-value.js";
import { decodeText } from "../../../../util/text-encoding.js";
import { type ByteReader, pieceReader, wholeOf } from "../../readers/byte-reader.js";
import { jsonChunks } from "./json-chunks.js";
import { elementValue, readElements } from "./elements.js";
import { readYaml } from "./yaml-value.js";

/** Of a document together with its JSON. */
const MAX_KEPT_BYTES = 32 << 20;

/** A document that was read to its end, and what it became. */
interface Converted {
  readonly bytes: Buffer;
  readonly markup: Markup;
  readonly json: readonly Uint8Array[];
}

/** The last one: filters come one after the other for the same document, whose conversion takes longer than jq. */
let last: Converted | undefined;

/**
 * Reads a document of another notation as one JSON value. The document is held whole.
 *
 * @throws Error from `read`, with a sentence about what is wrong with the document and where.
 */
export function createMarkupReader(source: ByteReader, markup: Markup): ByteReader {
  return pieceReader(jsonOf(source, markup), source);
}

/** The JSON of a document in parts; that of the last document is not made again. */
function* jsonOf(source: ByteReader, markup: Markup): Generator<Uint8Array> {
  const bytes = wholeOf(source);
  if (last?.markup === markup && last.bytes.equals(bytes)) {
    yield* last.json;
    return;
  }
  last = undefined;
  const json: Uint8Array[] = [];
  let leftBytes = MAX_KEPT_BYTES - bytes.length;
  const text = decodeText(bytes);
  const value = markup === "yaml" ? readYaml(text) : elementValue(readElements(text, markup));
  for (const chunk of jsonChunks(value, text.length)) {
    const part = Buffer.from(chunk);
    leftBytes -= part.length;
    if (leftBytes >= 0) json.push(part);
    else json.length = 0;
    yield part;
  }
  if (leftBytes >= 0) last = { bytes, markup, json };
}
