/** Part of a line of an event stream. */
export interface LinePart {
  readonly bytes: Buffer;
  /** Whether the line ends with it. */
  readonly ends: boolean;
}

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from("\u{FEFF}");

/**
 * Parts the chunks of one event stream into lines, which end with a line feed, a carriage return, or both. A
 * byte order mark at the stream's start is left out.
 */
export function createLineSplitter(): (chunk: Buffer) => Generator<LinePart> {
  let isAfterReturn = false;
  /** Bytes of the mark that have come. */
  let marked = 0;

  return function* partsOf(chunk) {
    let from = 0;
    while (marked < BYTE_ORDER_MARK.length && from < chunk.length) {
      if (chunk[from] !== BYTE_ORDER_MARK[marked]) {
        yield { bytes: BYTE_ORDER_MARK.subarray(0, marked), ends: false };
        marked = BYTE_ORDER_MARK.length;
      } else {
        marked += 1;
        from += 1;
      }
    }
    let feed = -1;
    let carriage = -1;
    while (from < chunk.length) {
      if (isAfterReturn && chunk[from] === LINE_FEED) from += 1;
      isAfterReturn = false;
      // Each is looked for again only when it was passed, so that every byte is looked at twice at most.
      if (feed < from) feed = placeOf(LINE_FEED, chunk, from);
      if (carriage < from) carriage = placeOf(CARRIAGE_RETURN, chunk, from);
      const end = Math.min(feed, carriage);
      yield { bytes: chunk.subarray(from, end), ends: end < chunk.length };
      isAfterReturn = chunk[end] === CARRIAGE_RETURN;
      from = end + 1;
    }
  };
}

/** The chunk's length when there is none. */
function placeOf(byte: number, chunk: Buffer, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at === -1 ? chunk.length : at;
}
