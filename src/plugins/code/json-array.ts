const LINE_END = 0x0a;
const COMMA = 0x2c;

/**
 * JSON lines as the text of one array: a list of one record, or of none, is a list too. A line end at the end of the
 * pieces ends the last record.
 */
export async function* asJsonArray(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from("[");
  let isBetween = false;
  for await (const piece of pieces) {
    if (piece.length === 0) continue;
    if (isBetween) yield Buffer.from(",\n");
    isBetween = piece.at(-1) === LINE_END;
    yield withCommas(isBetween ? piece.subarray(0, -1) : piece);
  }
  yield Buffer.from("]");
}

/** With a comma before each line end. */
function withCommas(piece: Uint8Array): Uint8Array {
  let ends = 0;
  for (let at = piece.indexOf(LINE_END); at !== -1; at = piece.indexOf(LINE_END, at + 1)) ends += 1;
  if (ends === 0) return piece;
  const joined = Buffer.allocUnsafe(piece.length + ends);
  let length = 0;
  let start = 0;
  for (let at = piece.indexOf(LINE_END); at !== -1; at = piece.indexOf(LINE_END, start)) {
    joined.set(piece.subarray(start, at), length);
    length += at - start;
    joined[length] = COMMA;
    joined[length + 1] = LINE_END;
    length += 2;
    start = at + 1;
  }
  joined.set(piece.subarray(start), length);
  return joined;
}
