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

/** A body to be cut, and how. */
interface FixedChunks {
  readonly body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Length that the body must have. */
  readonly sizeBytes: number;
  readonly chunkBytes: number;
}

/**
 * Cuts a body into chunks of `chunkBytes`, the last one shorter, whatever pieces it comes in, and
 * hands each to `take` with its number, from 0. A chunk's memory is its taker's to keep.
 *
 * @throws What the body or `take` throws, and Error when the body's length is not `sizeBytes`.
 */
export async function forEachFixedChunk(
  { body, sizeBytes, chunkBytes }: FixedChunks,
  take: (chunk: Uint8Array, index: number) => Promise<void>,
): Promise<void> {
  let lengthBytes = 0;
  let index = 0;
  let filled = 0;
  let chunk = new Uint8Array(Math.min(chunkBytes, sizeBytes));

  async function spread(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + chunk.length - filled);
      chunk.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < chunk.length) continue;
      await take(chunk, index);
      index += 1;
      filled = 0;
      const restBytes = Math.max(0, sizeBytes - index * chunkBytes);
      chunk = new Uint8Array(Math.min(chunkBytes, restBytes));
    }
  }

  await forEachChunk(body, (piece) => {
    lengthBytes = checkChunk(piece, lengthBytes, sizeBytes);
    return piece.length === 0 ? undefined : spread(piece);
  });
  checkLength(lengthBytes, sizeBytes);
}
