import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** A whole line of a file, and where it is. */
export interface SegmentLine {
  readonly offset: number;
  readonly bytes: number;
  /** `undefined` for a line that is too long to be looked at. */
  readonly text: string | undefined;
}

/** Longest line that is read, in bytes: no entry is as long. */
export const MAX_LINE_BYTES: number = 524_288;
/** What is read of a file at most: a segment is 4 MiB. */
const MAX_FILE_BYTES = 67_108_864;
const CHUNK_BYTES = 262_144;
const LINE_FEED = 0x0a;
/** A planted pipe must not hold the open. */
const TO_READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a regular file, through no link, and closes it after `use`. @throws Error of the file system. */
export async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, TO_READ);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is no file.`);
    return await use(file);
  } finally {
    await file.close();
  }
}

/**
 * The lines from `start` on, some at a time, each whole; what comes after the last line feed is not read: it may still be written, or its
 * process was killed. Holds one line at most.
 */
export async function* linesFrom(
  file: FileHandle,
  start: number,
): AsyncGenerator<readonly SegmentLine[], void, undefined> {
  let offset = start;
  let at = start;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read(
      Buffer.allocUnsafe(CHUNK_BYTES),
      0,
      CHUNK_BYTES,
      at,
    );
    if (bytesRead === 0 || at >= MAX_FILE_BYTES) return;
    at += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    const lines: SegmentLine[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      const bytes = pendingBytes + end - from;
      const isShort = bytes <= MAX_LINE_BYTES;
      const text = isShort ? textOf(pending, chunk.subarray(from, end)) : undefined;
      lines.push({ offset, bytes, text });
      offset += bytes + 1;
      from = end + 1;
      pending = [];
      pendingBytes = 0;
    }
    yield lines;
    const rest = chunk.subarray(from);
    pendingBytes += rest.length;
    // What is longer is counted, not held.
    if (pendingBytes <= MAX_LINE_BYTES) pending.push(rest);
    else pending = [];
  }
}

function textOf(before: readonly Buffer[], rest: Buffer): string {
  return (before.length === 0 ? rest : Buffer.concat([...before, rest])).toString("utf8");
}
