/**
 * Hands each chunk of a body to `take` and waits where `take` returns a promise. Chunks that are
 * there at once cost no turn of the event loop each.
 *
 * @throws What the body or `take` throws; the body is then closed.
 */
export async function forEachChunk(
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  take: (chunk: Uint8Array) => Promise<void> | undefined,
): Promise<void> {
  if (Symbol.asyncIterator in body) {
    for await (const chunk of body) await take(chunk);
    return;
  }
  for (const chunk of body) {
    const pending = take(chunk);
    if (pending !== undefined) await pending;
  }
}

/**
 * Checks one chunk of a body and returns the body's length with it, in bytes.
 *
 * @throws TypeError when the chunk is not bytes, RangeError when the body is longer than announced.
 */
export function checkChunk(chunk: unknown, lengthBytes: number, announcedBytes: number): number {
  if (!(chunk instanceof Uint8Array)) {
    throw new TypeError("A body must be an iterable of Uint8Array; wrap a single one in an array.");
  }
  const length = lengthBytes + chunk.length;
  if (length > announcedBytes) {
    throw new RangeError(`The body is longer than its sizeBytes, ${announcedBytes}.`);
  }
  return length;
}

/**
 * Checks a body that has ended.
 *
 * @throws RangeError when it is shorter than announced.
 */
export function checkLength(lengthBytes: number, announcedBytes: number): void {
  if (lengthBytes !== announcedBytes) {
    throw new RangeError(`The body has ${lengthBytes} bytes, its sizeBytes is ${announcedBytes}.`);
  }
}
