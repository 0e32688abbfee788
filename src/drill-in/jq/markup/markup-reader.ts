import type { Markup } from "../../../content/markup.js";
import type { TextEncodingName } from "../../../types/content.js";
import { decodeText } from "../../../util/text-encoding.js";
import type { ByteReader } from "../../engine/readers/byte-reader.js";
import { jsonChunks } from "./json-chunks.js";
import { elementsJson, readElements } from "./elements.js";
import { readYaml } from "./yaml-value.js";

const CHUNK_BYTES = 1 << 20;

/**
 * Reads a document of another notation as one JSON value. The document is held whole.
 *
 * @throws Error from `read`, with a sentence about what is wrong with the document and where.
 */
export function createMarkupReader(
  source: ByteReader,
  markup: Markup,
  encoding: TextEncodingName,
): ByteReader {
  let chunks: Generator<string> | undefined;
  let ready: Uint8Array = new Uint8Array(0);
  return {
    read(target) {
      chunks ??= chunksOf(decodeText(wholeOf(source), encoding), markup);
      while (ready.length === 0) {
        const next = chunks.next();
        if (next.done === true) return 0;
        ready = Buffer.from(next.value);
      }
      const part = ready.subarray(0, target.length);
      target.set(part);
      ready = ready.subarray(part.length);
      return part.length;
    },
    close: () => source.close(),
  };
}

function chunksOf(text: string, markup: Markup): Generator<string> {
  if (markup === "yaml") return jsonChunks(readYaml(text), text.length);
  return elementsJson(readElements(text, markup));
}

function wholeOf(source: ByteReader): Uint8Array {
  const parts: Uint8Array[] = [];
  for (;;) {
    const part = new Uint8Array(CHUNK_BYTES);
    const count = source.read(part);
    if (count === 0) return Buffer.concat(parts);
    parts.push(part.subarray(0, count));
  }
}
