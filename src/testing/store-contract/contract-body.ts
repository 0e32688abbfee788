/** Bytes that repeat with no power of two, so that a misplaced block shows. */
export function patternBytes(sizeBytes: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  for (let index = 0; index < sizeBytes; index += 1) bytes[index] = index * 31 + (index >> 8);
  return bytes;
}

/** A body cut into pieces of `pieceBytes`, the last one shorter. */
export function* pieces(body: Uint8Array, pieceBytes: number): Generator<Uint8Array> {
  for (let start = 0; start < body.length; start += pieceBytes) {
    yield body.slice(start, start + pieceBytes);
  }
}
