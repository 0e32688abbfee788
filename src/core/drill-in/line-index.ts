import { isAscii } from "node:buffer";
import { setImmediate as nextTurn } from "node:timers/promises";

import { keepLatest } from "../../util/keep-latest.js";
import {
  charactersIn,
  decodedLength,
  decodeText,
  LINE_FEED,
  lineFeedsIn,
  unfinishedBytes,
} from "../../util/text-encoding.js";
import type { ArtifactStore } from "../store/artifact-store.js";
import type { StoredArtifact } from "../types/artifact.js";

const BLOCK_BYTES = 65_536;
/** A chunk is as large as all before it. */
const MIN_CHUNK_BYTES = 2 * BLOCK_BYTES;
const MAX_CHUNK_BYTES = 16 * BLOCK_BYTES;
/** A character may end so far after its block. */
const MORE_BYTES = 3;

/** Characters are code points, U+FFFD for invalid bytes. */
interface Counts {
  readonly lines: number;
  readonly characters: number;
}

/** Positions in the stored file, header line included. */
export interface LineIndex {
  /** Counted from 1; `undefined` after the last line. */
  lineStart(line: number): Promise<number | undefined>;
  /** Counted from 0; the size at the end; `undefined` after it. */
  characterStart(character: number): Promise<number | undefined>;
  /** Exact only at a character boundary. */
  before(byte: number): Promise<Counts>;
}

function countIn(bytes: Uint8Array): Counts {
  return {
    lines: lineFeedsIn(bytes),
    characters: isAscii(bytes) ? bytes.length : charactersIn(decodeText(bytes)),
  };
}

/**
 * Grows on demand, with a mark per 64 KiB.
 *
 * @throws {@link OffloadError} whatever `store.read` throws.
 */
export function createLineIndex(
  store: Pick<ArtifactStore, "read">,
  artifact: StoredArtifact,
): LineIndex {
  const { sizeBytes } = artifact;
  let last = { byte: 0, lines: 0, characters: 0 };
  const marks = [last];
  // The end of a range mostly lies in the block of its start.
  let block: { readonly byte: number; readonly bytes: Uint8Array } | undefined;
  let growth: Promise<void> = Promise.resolve();

  const readBytes = async (start: number, end: number): Promise<Uint8Array> =>
    await store.read(artifact, { start, end: Math.min(end, sizeBytes) });

  async function blockAt(byte: number): Promise<Uint8Array> {
    if (block?.byte === byte) return block.bytes;
    const bytes = await readBytes(byte, byte + BLOCK_BYTES + MORE_BYTES);
    block = { byte, bytes };
    return bytes;
  }

  async function growOnce() {
    const start = last.byte;
    const wanted = Math.min(MAX_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, start), sizeBytes - start);
    const chunk = await readBytes(start, start + wanted);
    if (chunk.length < wanted)
      throw new RangeError(`the stored body ends at byte ${start + chunk.length} of ${sizeBytes}`);
    while (last.byte < start + chunk.length) {
      const at = last.byte - start;
      const part = chunk.subarray(at, at + BLOCK_BYTES);
      const isEnd = last.byte + part.length === sizeBytes;
      const whole = isEnd ? part.length : part.length - unfinishedBytes(part);
      if (whole === 0) break;
      const { lines, characters } = countIn(part.subarray(0, whole));
      last = {
        byte: last.byte + whole,
        lines: last.lines + lines,
        characters: last.characters + characters,
      };
      marks.push(last);
    }
    // A store in memory never yields to the event loop.
    await nextTurn();
  }

  async function growUntil(reached: () => boolean) {
    // Known positions do not wait for a running count.
    if (last.byte === sizeBytes || reached()) return;
    const step = async () => {
      while (last.byte < sizeBytes && !reached()) await growOnce();
    };
    const result = growth.then(step);
    growth = result.catch(() => undefined);
    await result;
  }

  /** The byte behind so many lines or characters. */
  async function after(count: number, unit: keyof Counts): Promise<number | undefined> {
    await growUntil(() => last[unit] >= count);
    if (count <= 0 || last[unit] < count) return count <= 0 ? 0 : undefined;
    // The last one of several: the wanted line end follows it.
    const mark = marks.findLast((one) => one[unit] < count) ?? last;
    const bytes = await blockAt(mark.byte);
    let at = 0;
    for (let seen = mark[unit]; seen < count; seen += 1)
      at = unit === "lines" ? bytes.indexOf(LINE_FEED, at) + 1 : at + decodedLength(bytes, at);
    return mark.byte + at;
  }

  return {
    lineStart: async (line) => {
      const start = await after(line - 1, "lines");
      return start === sizeBytes ? undefined : start;
    },
    characterStart: (character) => after(character, "characters"),
    before: async (byte) => {
      await growUntil(() => last.byte >= byte);
      const mark = marks.findLast((one) => one.byte <= byte) ?? last;
      if (mark.byte === byte) return mark;
      const { lines, characters } = countIn(
        (await blockAt(mark.byte)).subarray(0, byte - mark.byte),
      );
      return { lines: mark.lines + lines, characters: mark.characters + characters };
    },
  };
}

const MAX_INDEXES = 32;

export function createIndexes(
  store: Pick<ArtifactStore, "read">,
): (artifact: StoredArtifact) => LineIndex {
  const indexes = new Map<string, { readonly index: LineIndex; latest: StoredArtifact }>();
  return (artifact) => {
    const read: ArtifactStore["read"] = (_, range) => store.read(kept.latest, range);
    const kept = indexes.get(artifact.id) ?? {
      index: createLineIndex({ read }, artifact),
      latest: artifact,
    };
    // Its expiry may have been moved.
    kept.latest = artifact;
    keepLatest(indexes, artifact.id, kept, MAX_INDEXES);
    return kept.index;
  };
}
