import { fieldOf } from "../../../util/field-of.js";
import { byteView, isBlob } from "../bytes.js";

/**
 * A Node or web `ReadableStream`, another async iterable, a `Blob`, or bytes; `undefined` for anything else. Nothing
 * is read yet.
 */
export function streamOf(value: unknown): AsyncIterable<unknown> | undefined {
  try {
    const bytes = byteView(value);
    if (bytes !== undefined) return onePart(bytes);
    const source = isBlob(value) ? value.stream() : value;
    const open = fieldOf(source, Symbol.asyncIterator);
    if (typeof open !== "function") return undefined;
    const iterator: unknown = Reflect.apply(open, source, []);
    return isIterator(iterator) ? { [Symbol.asyncIterator]: () => iterator } : undefined;
  } catch {
    return undefined;
  }
}

async function* onePart(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

function isIterator(value: unknown): value is AsyncIterator<unknown> {
  return typeof fieldOf(value, "next") === "function";
}
