import { type ByteReader, pieceReader } from "./byte-reader.js";
import { readLineBlocks } from "./line-blocks.js";

const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|.)/g;
const HALF = /^\\u[dD][89a-fA-F][\da-fA-F]{2}$/;

/**
 * Replaces each escaped half of a surrogate pair that stands alone in JSON text by `\ufffd`, such as the one that
 * cutting a text inside an emoji leaves: jq and DuckDB take one for the end of all data. Lengths stay.
 */
export function mendEscapes(json: string): string {
  if (!json.includes("\\ud") && !json.includes("\\uD")) return json;
  return json.replaceAll(ESCAPES, (escape) => (HALF.test(escape) ? "\\ufffd" : escape));
}

/**
 * Reads JSON with its escapes mended.
 *
 * @throws LineTooLongError from `read`, at a line of more than `maxLineBytes`.
 */
export function mendSurrogateEscapes(source: ByteReader, maxLineBytes: number): ByteReader {
  return pieceReader(mended(source, maxLineBytes), source);
}

/** In lines, since no escape goes over the end of one; bytes that are no UTF-8 stay as they are. */
function* mended(source: ByteReader, maxLineBytes: number): Generator<Buffer> {
  for (const block of readLineBlocks(source, maxLineBytes)) {
    const isWhole = !block.includes("\\ud") && !block.includes("\\uD");
    yield isWhole ? block : Buffer.from(mendEscapes(block.toString("latin1")), "latin1");
  }
}
