import type { SegmentWriter } from "./segment-writer.js";

/** Lines that wait to be written, and are lost where too many do. */
export interface LineQueue {
  /** Returns at once. */
  add(line: string): void;
  /** Writes what there is, or loses it, and closes the file. Never rejects. */
  flush(): Promise<void>;
}

interface LineQueueOptions {
  /** The line that says how many were lost. */
  readonly lossLine: (lines: number) => string;
  /** Told of what the disk does not take. */
  readonly onFault: (error: unknown) => void;
  /** How often old segments are looked for, from the first line to `flush`. */
  readonly tidyMs: number;
}

const BATCH_MS = 50;
const MAX_BATCH_CHARACTERS = 262_144;
/** UTF-16 units that wait at most. */
const MAX_WAITING_CHARACTERS = 8_388_608;
/** UTF-8 bytes that a UTF-16 unit takes at most. */
const BYTES_PER_UNIT = 3;
const LOSS_LINE_BYTES = 200;
/** How long a disk that takes nothing is left alone, from the first fault to the last. */
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;

/** Creates the queue in front of a writer. It starts no timer before the first line. */
export function createLineQueue(
  writer: SegmentWriter,
  { lossLine, onFault, tidyMs }: LineQueueOptions,
): LineQueue {
  const room = writer.segmentBytes - LOSS_LINE_BYTES;
  const maxBatch = Math.min(MAX_BATCH_CHARACTERS, Math.floor(room / BYTES_PER_UNIT));
  let lines: string[] = [];
  let characters = 0;
  let lost = 0;
  let restMs = 0;
  let restUntil = 0;
  let timer: NodeJS.Timeout | undefined;
  let tidying: NodeJS.Timeout | undefined;
  let isPlanned = false;
  let tail: Promise<void> = Promise.resolve();

  /** The lines that a batch takes, written after `before`: joining them to one text first would cost as much as making them. */
  function nextBatch(before: string): { readonly batch: Uint8Array; readonly entries: number } {
    let length = 0;
    let taken = 0;
    while (taken < lines.length) {
      const next = lines[taken]?.length ?? 0;
      if (taken > 0 && length + next > maxBatch) break;
      length += next;
      taken += 1;
    }
    const batch = Buffer.allocUnsafe((before.length + length) * BYTES_PER_UNIT);
    let bytes = batch.write(before);
    for (const line of lines.slice(0, taken)) bytes += batch.write(line, bytes);
    lines = lines.slice(taken);
    characters -= length;
    return { batch: batch.subarray(0, bytes), entries: taken };
  }

  async function writeAll(): Promise<void> {
    isPlanned = false;
    while (lines.length > 0) {
      const told = lost;
      const { batch, entries } = nextBatch(told === 0 ? "" : lossLine(told));
      try {
        await writer.write(batch);
        lost -= told;
        restMs = 0;
      } catch (error) {
        lost += entries + lines.length;
        lines = [];
        characters = 0;
        restMs = Math.min(Math.max(FIRST_REST_MS, restMs * 2), LONGEST_REST_MS);
        restUntil = Date.now() + restMs;
        onFault(error);
      }
    }
    tidying ??= setInterval(() => void writer.tidy(), tidyMs).unref();
  }

  /** One after another: a file must not be closed under a write. Nothing that is run rejects. */
  function run(work: () => Promise<void>): Promise<void> {
    tail = tail.then(work);
    return tail;
  }

  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    timer = setTimeout(() => void run(writeAll), BATCH_MS);
  }

  async function end(): Promise<void> {
    await writeAll();
    if (lost > 0) {
      const told = lost;
      try {
        await writer.write(Buffer.from(lossLine(told)));
        lost -= told;
      } catch {
        // A disk that takes nothing is not told either.
      }
    }
    clearInterval(tidying);
    tidying = undefined;
    await writer.close();
  }

  return {
    add(line) {
      const isTooLong = line.length > maxBatch;
      const isFull = characters + line.length > MAX_WAITING_CHARACTERS;
      if (isTooLong || isFull || (restMs > 0 && Date.now() < restUntil)) {
        lost += 1;
        return;
      }
      lines.push(line);
      characters += line.length;
      plan();
    },
    flush() {
      clearTimeout(timer);
      return run(end);
    },
  };
}
