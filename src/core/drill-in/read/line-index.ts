import { keepLatest } from "../../../util/keep-latest.js";
import type { ArtifactStore } from "../../store/artifact-store.js";
import type { StoredArtifact } from "../../types/artifact.js";
import { charactersOf, MORE_BYTES } from "./decoded-characters.js";

const LINE_FEED = 0x0a;
/** Bytes between two entries; the most that is scanned to find one line or character. */
const BLOCK_BYTES = 65_536;
/** Bytes asked of the store at once while the index grows. */
const CHUNK_BYTES = 16 * BLOCK_BYTES;

/** What a whole body holds. Characters are Unicode code points; an unfinished last line counts. */
interface BodyTotals {
  readonly lines: number;
  readonly characters: number;
}

/**
 * Finds the byte where a line or a character begins. Positions are those of the stored file, header
 * line included. Every call reads at most as far as it has to, and no byte twice but one block, and three at the end of each read.
 */
export interface LineIndex {
  /** First byte of a line, counted from 1; `undefined` past the last line. */
  lineStart(line: number): Promise<number | undefined>;
  /** First byte of a character, counted from 0; the size at the end; `undefined` past it. */
  characterStart(character: number): Promise<number | undefined>;
  /** Characters before a byte that begins a character. */
  charactersBefore(byte: number): Promise<number>;
  /** Line ends before a byte. */
  lineFeedsBefore(byte: number): Promise<number>;
  /** Reads on to the end of the body, once. */
  totals(): Promise<BodyTotals>;
}

function countLineFeeds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1))
    count += 1;
  return count;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * Creates an index of one stored body. It costs 17 bytes of memory for every 64 KiB of the body, and
 * grows on demand: the first page of a large file does not wait for the last.
 *
 * @throws {@link OffloadError} from its methods, whatever `store.read` throws.
 */
export function createLineIndex(
  store: Pick<ArtifactStore, "read">,
  artifact: StoredArtifact,
): LineIndex {
  const { sizeBytes } = artifact;
  const characters = charactersOf(artifact.encoding);
  const blockCount = Math.ceil(sizeBytes / BLOCK_BYTES);
  // Entry n: what lies before byte n * BLOCK_BYTES. Valid up to and including `indexedBlocks`.
  const linesBefore = new Float64Array(blockCount + 1);
  const charactersUpTo = new Float64Array(blockCount + 1);
  // Bytes at its beginning that belong to a character before it.
  const begunBefore = new Uint8Array(blockCount + 1);
  let indexedBlocks = 0;
  let endsInLineFeed = false;
  let growth: Promise<void> = Promise.resolve();

  async function readBytes(start: number, end: number): Promise<Uint8Array> {
    return store.read(artifact, { start, end: Math.min(end, sizeBytes) });
  }

  async function growOnce(): Promise<void> {
    const start = indexedBlocks * BLOCK_BYTES;
    const read = await readBytes(start, start + CHUNK_BYTES + MORE_BYTES);
    const chunk = read.subarray(0, CHUNK_BYTES);
    const expected = Math.min(CHUNK_BYTES, sizeBytes - start);
    if (chunk.length < expected)
      throw new RangeError(`the stored body ends at byte ${start + chunk.length} of ${sizeBytes}`);
    for (let at = 0; at < chunk.length; at += BLOCK_BYTES) {
      const block = chunk.subarray(at, at + BLOCK_BYTES);
      const end = at + block.length;
      const counted = characters.count(read, at + (begunBefore[indexedBlocks] ?? 0), end);
      linesBefore[indexedBlocks + 1] = (linesBefore[indexedBlocks] ?? 0) + countLineFeeds(block);
      charactersUpTo[indexedBlocks + 1] = (charactersUpTo[indexedBlocks] ?? 0) + counted.count;
      begunBefore[indexedBlocks + 1] = counted.end - end;
      indexedBlocks += 1;
    }
    endsInLineFeed = chunk.at(-1) === LINE_FEED;
    // A store in memory answers without leaving the turn; others must get theirs.
    await nextTurn();
  }

  /** Grows until `reached` holds or the end is there. Calls wait for one another, so no block is read twice. */
  async function growUntil(reached: () => boolean): Promise<void> {
    // What is counted already does not wait for a count that goes on to the end of a gigabyte.
    if (indexedBlocks === blockCount || reached()) return;
    const step = async (): Promise<void> => {
      while (indexedBlocks < blockCount && !reached()) await growOnce();
    };
    const result = growth.then(step);
    growth = result.catch(() => undefined);
    await result;
  }

  /** The last block with at most `wanted` before it, among those that are indexed. */
  function blockOf(before: Float64Array, wanted: number): number {
    let low = 0;
    let high = indexedBlocks;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((before[middle] ?? 0) <= wanted) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  async function blockBytes(block: number, moreBytes = 0): Promise<Uint8Array> {
    return readBytes(block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES + moreBytes);
  }

  return {
    lineStart: async (line) => {
      if (line <= 1) return sizeBytes === 0 ? undefined : 0;
      const feeds = line - 1;
      await growUntil(() => (linesBefore[indexedBlocks] ?? 0) >= feeds);
      if ((linesBefore[indexedBlocks] ?? 0) < feeds) return undefined;
      // The line feed that ends the line before is in the last block with fewer than `feeds` before it.
      const block = blockOf(linesBefore, feeds - 1);
      const bytes = await blockBytes(block);
      let at = -1;
      for (let seen = linesBefore[block] ?? 0; seen < feeds; seen += 1)
        at = bytes.indexOf(LINE_FEED, at + 1);
      const start = block * BLOCK_BYTES + at + 1;
      return start < sizeBytes ? start : undefined;
    },
    characterStart: async (character) => {
      await growUntil(() => (charactersUpTo[indexedBlocks] ?? 0) > character);
      const total = charactersUpTo[indexedBlocks] ?? 0;
      if (character >= total) return character === total ? sizeBytes : undefined;
      const block = blockOf(charactersUpTo, character);
      const bytes = await blockBytes(block, MORE_BYTES);
      let at = begunBefore[block] ?? 0;
      for (let seen = charactersUpTo[block] ?? 0; seen < character; seen += 1)
        at = characters.after(bytes, at);
      return block * BLOCK_BYTES + at;
    },
    charactersBefore: async (byte) => {
      const block = Math.floor(byte / BLOCK_BYTES);
      await growUntil(() => indexedBlocks >= block);
      const start = block * BLOCK_BYTES;
      const before = charactersUpTo[block] ?? 0;
      if (byte === start) return before;
      const bytes = await readBytes(start, byte + MORE_BYTES);
      return before + characters.count(bytes, begunBefore[block] ?? 0, byte - start).count;
    },
    lineFeedsBefore: async (byte) => {
      const block = Math.floor(byte / BLOCK_BYTES);
      await growUntil(() => indexedBlocks >= block);
      const start = block * BLOCK_BYTES;
      const before = linesBefore[block] ?? 0;
      return byte === start ? before : before + countLineFeeds(await readBytes(start, byte));
    },
    totals: async () => {
      await growUntil(() => false);
      const feeds = linesBefore[blockCount] ?? 0;
      const lines = sizeBytes === 0 || endsInLineFeed ? feeds : feeds + 1;
      return { lines, characters: charactersUpTo[blockCount] ?? 0 };
    },
  };
}

/** Indexes of this many artifacts are kept; of the one not used for longest first to go. */
const MAX_INDEXES = 32;

/** Creates the indexes of a store's artifacts, each when it is first asked for. */
export function createIndexes(
  store: Pick<ArtifactStore, "read">,
): (artifact: StoredArtifact) => LineIndex {
  const indexes = new Map<string, { readonly index: LineIndex; latest: StoredArtifact }>();
  return (artifact) => {
    const kept = indexes.get(artifact.id) ?? createKept(artifact);
    // The one that the store gave last: its expiry may have been moved.
    kept.latest = artifact;
    keepLatest(indexes, artifact.id, kept, MAX_INDEXES);
    return kept.index;
  };

  function createKept(artifact: StoredArtifact): { index: LineIndex; latest: StoredArtifact } {
    const read: ArtifactStore["read"] = (_, range) => store.read(kept.latest, range);
    const kept = { index: createLineIndex({ read }, artifact), latest: artifact };
    return kept;
  }
}
