import { constants, fstat, ftruncate, write } from "node:fs";
import { unlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { closeFile, CREATE, openFile } from "../../../core/store/file/descriptor.js";
import { type FolderBounds, makeRoom, openFolder } from "./journal-folder.js";
import { newProcessName, segmentName } from "./segment-name.js";

/** Writes lines into segments of one folder, one after another. Calls must not overlap. */
export interface SegmentWriter {
  /** Largest batch that it takes, in bytes. */
  readonly segmentBytes: number;
  /** @throws Error of the file system; what was written of the batch, in whole lines, is then unknown. */
  write(batch: Uint8Array): Promise<void>;
  /** Deletes what is too old, its own segment among it. Never rejects. */
  tidy(): Promise<void>;
  /** Closes the file; a later write goes on in it. Never rejects. */
  close(): Promise<void>;
}

/** A segment that is being written. */
interface OpenSegment {
  readonly path: string;
  readonly createdAt: number;
  descriptor: number | undefined;
  bytes: number;
  checkedAt: number;
}

/** Of a folder's bytes, what one segment has at most. */
const SEGMENTS_OF_A_FOLDER = 16;
const MAX_SEGMENT_BYTES = 4_194_304;
/** Of a folder's age, how long one segment is written at most. */
const SEGMENTS_OF_AN_AGE = 8;
/** How often a process looks whether its segment was deleted. */
const CHECK_MS = 1_000;

const writeLater = promisify(write);
const statLater = promisify(fstat);
const truncateLater = promisify(ftruncate);
const LINE_FEED = 0x0a;

/** Creates the writer of a process. Nothing is made before the first batch. */
export function createSegmentWriter(directory: string, bounds: FolderBounds): SegmentWriter {
  const segmentBytes = Math.min(
    MAX_SEGMENT_BYTES,
    Math.floor(bounds.maxBytes / SEGMENTS_OF_A_FOLDER),
  );
  const segmentMs = bounds.maxAgeMs / SEGMENTS_OF_AN_AGE;
  const process = newProcessName();
  let begun = 0;
  let segment: OpenSegment | undefined;

  async function leave(): Promise<void> {
    const { descriptor, path = "", bytes = 0 } = segment ?? {};
    if (segment === undefined || descriptor === undefined) return;
    segment.descriptor = undefined;
    await closeFile(descriptor, bytes).catch(() => undefined);
    // Of a full disk nothing stays that counts as one of the folder's segments.
    if (bytes === 0) await unlink(path).catch(() => undefined);
  }

  async function begin(): Promise<OpenSegment> {
    await leave();
    segment = undefined;
    await openFolder(directory);
    await makeRoom(directory, bounds, segmentBytes);
    const createdAt = Date.now();
    const path = join(directory, segmentName(createdAt, process, begun));
    begun += 1;
    const descriptor = await openFile(path, CREATE | constants.O_APPEND, 0o600);
    segment = { path, createdAt, descriptor, bytes: 0, checkedAt: createdAt };
    return segment;
  }

  /** Whether the segment has room and time left, and its file is still there. */
  async function isUsable(open: OpenSegment, bytes: number): Promise<boolean> {
    const nowMs = Date.now();
    if (open.bytes + bytes > segmentBytes || nowMs - open.createdAt > segmentMs) return false;
    try {
      if (open.descriptor === undefined) {
        open.descriptor = await openFile(open.path, APPEND);
      } else if (nowMs - open.checkedAt < CHECK_MS) return true;
      open.checkedAt = nowMs;
      return (await statLater(open.descriptor)).nlink > 0;
    } catch {
      return false;
    }
  }

  /** Cuts a torn line off: on a full disk many segments of a line each would be in the place of what was there before. */
  async function cutTo(open: OpenSegment, bytes: number): Promise<void> {
    try {
      if (open.descriptor !== undefined) await truncateLater(open.descriptor, bytes);
      open.bytes = bytes;
    } catch {
      // Nothing may come after it.
      open.bytes = segmentBytes;
    }
  }

  return {
    segmentBytes,
    async write(batch) {
      const isOpen = segment !== undefined && (await isUsable(segment, batch.length));
      const open = isOpen && segment !== undefined ? segment : await begin();
      const { descriptor } = open;
      if (descriptor === undefined) throw new Error("The segment is closed.");
      let written = 0;
      try {
        while (written < batch.length) {
          written += (await writeLater(descriptor, batch.subarray(written))).bytesWritten;
        }
        open.bytes += written;
      } catch (error) {
        const whole = batch.subarray(0, written).lastIndexOf(LINE_FEED) + 1;
        await cutTo(open, open.bytes + whole);
        throw error;
      }
    },
    async tidy() {
      await makeRoom(directory, bounds, 0).catch(() => undefined);
    },
    close: leave,
  };
}

const APPEND = constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
