import { createStreamTally, type StreamTally } from "./stream-tally.js";
import { createSpoolFile, type SpoolFile, type SpoolPlace } from "./spool-file.js";

/** A body that is spooled while its counts and a sample of it are kept. */
export interface SpoolSink {
  readonly tally: StreamTally;
  /** The first bytes that came in one piece; empty before. */
  head(): Buffer;
  /** Adds bytes at the end, which may be overwritten afterwards. */
  take(block: Buffer): Promise<void>;
  /** What kept the body from being spooled; it is counted all the same. */
  error(): unknown;
  /** The body from the spool file. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Deletes the spool file. */
  close(): Promise<void>;
}

/**
 * Creates a sink into a file without a name.
 *
 * @param place - Where the file goes; `undefined` when the body is not to be kept.
 */
export function createSpoolSink(place: SpoolPlace | undefined): SpoolSink {
  const tally = createStreamTally();
  let head: Buffer | undefined;
  let file: SpoolFile | undefined;
  let error: unknown;
  return {
    tally,
    head: () => head ?? Buffer.alloc(0),
    async take(block) {
      if (block.length === 0) return;
      head ??= Buffer.from(block);
      tally.take(block);
      if (place === undefined || error !== undefined) return;
      try {
        file ??= await createSpoolFile(place);
        await file.write(block);
      } catch (cause) {
        error = cause ?? new Error("The stream could not be spooled.");
      }
    },
    error: () => error,
    chunks: () => file?.read() ?? nothing(),
    close: async () => await file?.close(),
  };
}

/** A sink with what another one holds but for its last bytes. */
export async function beginningOf(
  sink: SpoolSink,
  leftOutBytes: number,
  place: SpoolPlace | undefined,
): Promise<SpoolSink> {
  const beginning = createSpoolSink(place);
  let roomBytes = sink.tally.sizeBytes() - leftOutBytes;
  for await (const block of sink.chunks()) {
    await beginning.take(Buffer.from(block.subarray(0, roomBytes)));
    roomBytes = Math.max(0, roomBytes - block.length);
  }
  return beginning;
}

async function* nothing(): AsyncGenerator<Uint8Array, void> {}
