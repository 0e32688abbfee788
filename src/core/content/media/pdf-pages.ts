/** What is looked at of a PDF, at its beginning and at its end. */
const WINDOW_BYTES = 1_048_576;
/** Objects of page trees that are looked at, and how much of each. */
const MAX_TREES = 200;
const OBJECT_BYTES = 65_536;
const MAX_PAGES = 1_000_000;
/** The dictionary of a file that is laid out for the web stands in its first kilobyte. */
const FIRST_BYTES = 1_024;

/** What a PDF says of itself. */
export interface PdfFacts {
  readonly pages: number | undefined;
  /** It asks for a password. */
  readonly locked: boolean;
}

/**
 * Counts the pages of a PDF by what it says in plain: the count of a file that is laid out for the web, else that of the root of
 * its page tree, the last one where it was changed. Looks at the first and the last MiB and unpacks nothing; many files of
 * later versions have their tree packed, and then nobody knows.
 */
export function pdfFacts(bytes: Uint8Array): PdfFacts {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = Math.max(WINDOW_BYTES, data.length - WINDOW_BYTES);
  const windows = [data.subarray(0, WINDOW_BYTES), data.subarray(Math.min(end, data.length))];
  const locked = windows.some((window) => window.includes("/Encrypt"));
  const found = windows
    .toReversed()
    .map(rootCount)
    .find((count) => count !== undefined);
  const pages = linearCount(data) ?? found;
  const isCount = pages !== undefined && pages > 0 && pages <= MAX_PAGES;
  return { pages: isCount ? pages : undefined, locked };
}

function linearCount(data: Buffer): number | undefined {
  const first = data.toString("latin1", 0, FIRST_BYTES);
  const at = first.indexOf("/Linearized");
  const count =
    at === -1 ? null : /\/N ?(\d{1,7})\b/.exec(first.slice(at, first.indexOf(">>", at)));
  return count === null ? undefined : Number(count[1]);
}

/** The count of the last node of a page tree that has no parent. */
function rootCount(window: Buffer): number | undefined {
  let at = window.length;
  for (let trees = 0; trees < MAX_TREES && at > 0; trees += 1) {
    at = window.lastIndexOf("/Pages", at - 1);
    if (at === -1) return undefined;
    const before = window.subarray(Math.max(0, at - OBJECT_BYTES), at);
    const begin = before.lastIndexOf(" obj");
    const length = window.subarray(at, at + OBJECT_BYTES).indexOf("endobj");
    if (begin === -1 || length === -1) continue;
    const object = window.toString("latin1", at - before.length + begin, at + length);
    if (!/\/Type ?\/Pages\b/.test(object) || object.includes("/Parent")) continue;
    const count = /\/Count (\d{1,7})\b/.exec(object);
    if (count !== null) return Number(count[1]);
  }
  return undefined;
}
