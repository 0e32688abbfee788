import type { Markup } from "../../../content/as-value.js";
import { decodeText } from "../../../../util/text-encoding.js";
import { type ByteReader, pieceReader, wholeOf } from "../../readers/byte-reader.js";
import { jsonOf } from "./json-of.js";
import { elementValue, readElements } from "./elements.js";
import { readYaml } from "./yaml-value.js";

/**
 * Reads a document of another notation as one JSON value. The document is held whole.
 *
 * @throws Error from `read`, with a sentence about what is wrong with the document and where.
 */
export function createMarkupReader(source: ByteReader, markup: Markup): ByteReader {
  return pieceReader(converted(source, markup), source);
}

function* converted(source: ByteReader, markup: Markup): Generator<Uint8Array> {
  const text = decodeText(wholeOf(source));
  const value = markup === "yaml" ? readYaml(text) : elementValue(readElements(text, markup));
  yield Buffer.from(jsonOf(value));
}
