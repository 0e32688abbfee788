import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";

import { makeDirectory } from "../../../util/files.js";
import { BYTES_BETWEEN_PAUSES } from "../../../util/pause.js";
import { LINE_FEED, NOTHING } from "../../../util/text-encoding.js";

export interface SpoolPlace {
  readonly directory: string;
  readonly isEncrypted: boolean;
}

const CIPHER = "aes-256-ctr";

export interface SpoolSink {
  readonly tally: StreamTally;
  head(): Buffer;
  /** The block may be overwritten afterwards. */
  take(block: Buffer): Promise<void>;
  error(): unknown;
  /** Of at most 256 KiB. The next step overwrites the chunk. */
  readonly chunks: () => AsyncIterable<Buffer>;
  readonly close: () => Promise<void>;
}

/**
 * A file that is unlinked at once, so that nothing stays if the process is killed. Encrypted files have a random key.
 */
export function createSpoolSink({ directory, isEncrypted }: SpoolPlace): SpoolSink {
  const tally = createStreamTally();
  const secret = isEncrypted ? ([CIPHER, randomBytes(32), randomBytes(16)] as const) : undefined;
  const cipher = secret && createCipheriv(...secret);
  let head = NOTHING;
  let file: FileHandle | undefined;
  let writtenBytes = 0;
  let error: unknown;

  async function openFile(): Promise<FileHandle> {
    const path = join(directory, `.langchain-offload-${randomUUID()}.stream`);
    await makeDirectory(directory);
    const opened = await open(path, "wx+", 0o600);
    file = opened;
    await unlink(path);
    return opened;
  }

  async function write(given: Buffer) {
    const target = file ?? (await openFile());
    const bytes = cipher?.update(given) ?? given;
    for (let from = 0; from < bytes.length;) {
      const { bytesWritten } = await target.write(bytes, from, bytes.length - from, writtenBytes);
      from += bytesWritten;
      writtenBytes += bytesWritten;
    }
  }

  return {
    tally,
    head: () => head,
    async take(block) {
      if (block.length === 0) return;
      if (head.length === 0) head = Buffer.from(block);
      tally.take(block);
      if (error !== undefined) return;
      try {
        await write(block);
      } catch (cause) {
        error = cause;
      }
    },
    error: () => error,
    async *chunks() {
      const decipher = secret && createDecipheriv(...secret);
      const block = Buffer.allocUnsafeSlow(BYTES_BETWEEN_PAUSES);
      for (let at = 0; at < writtenBytes;) {
        const { bytesRead = 0 } = (await file?.read(block, 0, block.length, at)) ?? {};
        if (bytesRead === 0) throw new Error("The temporary file of the stream became shorter.");
        const part = block.subarray(0, bytesRead);
        yield decipher?.update(part) ?? part;
        at += bytesRead;
      }
    },
    close: async () => await file?.close(),
  };
}

interface StreamTally {
  /** The block may be overwritten afterwards. */
  take(block: Buffer): void;
  readonly sizeBytes: () => number;
  readonly lineCount: () => number;
  /** Of an unfinished last line. */
  readonly restBytes: () => number;
  /** An even sample: at most 2,000 lines and 8 MiB. */
  readonly lines: () => readonly string[];
  readonly tail: () => Buffer;
  readonly digest: () => string;
}

const MAX_LINES = 2_000;
const MAX_LINE_BYTES = 1 << 20;
const TAIL_BYTES = 65_536;

export function createStreamTally(): StreamTally {
  const hash = createHash("sha256");
  const lines = createSpreadSample<string>(MAX_LINES, 8 * MAX_LINE_BYTES);
  let sizeBytes = 0;
  let lineIndex = 0;
  /** Unfinished line for the sample; `undefined` once it is too long. */
  let begun: Buffer[] | undefined = [];
  let begunBytes = 0;
  let tail = NOTHING;

  function keepBeginning(part: Buffer) {
    begunBytes += part.length;
    if (begunBytes > MAX_LINE_BYTES) begun = undefined;
    else if (lines.wants(lineIndex)) begun?.push(Buffer.from(part));
  }

  function takeLines(block: Buffer) {
    let at = 0;
    for (let end = block.indexOf(LINE_FEED); end !== -1; end = block.indexOf(LINE_FEED, at)) {
      const length = begunBytes + end - at;
      if (begun !== undefined && length <= MAX_LINE_BYTES && lines.wants(lineIndex)) {
        const line = Buffer.concat([...begun, block.subarray(at, end)]);
        lines.add(lineIndex, line.toString(), length);
      }
      begun = [];
      begunBytes = 0;
      lineIndex += 1;
      at = end + 1;
    }
    keepBeginning(block.subarray(at));
  }

  return {
    take(block) {
      hash.update(block);
      takeLines(block);
      const last = block.subarray(-TAIL_BYTES);
      if (last.length === TAIL_BYTES && tail.length === TAIL_BYTES) last.copy(tail);
      else tail = Buffer.concat([tail, last]).subarray(-TAIL_BYTES);
      sizeBytes += block.length;
    },
    sizeBytes: () => sizeBytes,
    lineCount: () => lineIndex + (begunBytes > 0 ? 1 : 0),
    restBytes: () => begunBytes,
    lines: () => lines.items(),
    tail: () => tail,
    digest: () => hash.digest("hex"),
  };
}

interface SpreadSample<Item> {
  wants(index: number): boolean;
  add(index: number, item: Item, size: number): void;
  items(): readonly Item[];
}

/** Pseudorandom, because a regular choice could match a period in the data. 0 for 0. The last step of MurmurHash3. */
function mixed(index: number): number {
  let bits = Math.imul(index ^ (index >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Keeps all items, and halves them above `maxItems` or `maxSize`, but keeps one. Deterministic. */
export function createSpreadSample<Item>(maxItems: number, maxSize: number): SpreadSample<Item> {
  let share = 1;
  let sizes = 0;
  let kept: { readonly index: number; readonly item: Item; readonly size: number }[] = [];
  const wants = (index: number) => mixed(index) < share * 2 ** 32;
  return {
    wants,
    add(index, item, size) {
      if (!wants(index) || size * 8 > maxSize) return;
      kept.push({ index, item, size });
      sizes += size;
      while (kept.length > maxItems || sizes > maxSize) {
        share /= 2;
        const fewer = kept.filter((entry) => wants(entry.index));
        kept = fewer.length > 0 ? fewer : kept.slice(0, 1);
        sizes = kept.reduce((sum, entry) => sum + entry.size, 0);
      }
    },
    items: () => kept.map(({ item }) => item),
  };
}
