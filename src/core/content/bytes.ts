import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { isAnyArrayBuffer } from "node:util/types";

import { fieldOf } from "../../util/field-of.js";
import { BYTES_BETWEEN_PAUSES, pause } from "../../util/pause.js";
import { asBuffer, lineFeedsIn } from "../../util/text-encoding.js";

export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

export async function inParts(
  length: number,
  work: (from: number, to: number) => void,
): Promise<void> {
  for (let from = 0; from < length; from += BYTES_BETWEEN_PAUSES) {
    if (from > 0) await pause();
    work(from, Math.min(length, from + BYTES_BETWEEN_PAUSES));
  }
}

export async function countLines(bytes: Buffer): Promise<number> {
  let lines = 0;
  await inParts(bytes.length, (from, to) => {
    lines += lineFeedsIn(bytes.subarray(from, to));
  });
  return bytes.length > 0 && bytes[bytes.length - 1] !== 0x0a ? lines + 1 : lines;
}

/** Hashes UTF-16, because UTF-8 does not tell lone surrogates apart. */
export async function digestOf(text: string): Promise<string> {
  const hash = createHash("sha256");
  const take = (from: number, to: number): unknown =>
    hash.update(Buffer.from(text.slice(from, to), "utf16le"));
  await inParts(text.length, take);
  return hash.digest("hex");
}

export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const hash = createHash("sha256");
  await inParts(bytes.length, (from, to) => void hash.update(bytes.subarray(from, to)));
  return hash.digest("hex");
}

export function byteView(value: unknown): Uint8Array | undefined {
  if (isAnyArrayBuffer(value)) return new Uint8Array(value);
  if (!ArrayBuffer.isView(value)) return undefined;
  const isBytes =
    value instanceof Uint8Array || value instanceof Uint8ClampedArray || value instanceof DataView;
  return isBytes ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : undefined;
}

interface BlobLike {
  readonly size: number;
  arrayBuffer(): Promise<unknown>;
  stream(): AsyncIterable<unknown>;
}

export function isBlob(value: unknown): value is BlobLike {
  try {
    return (
      typeof fieldOf(value, "stream") === "function" &&
      typeof fieldOf(value, "arrayBuffer") === "function" &&
      typeof fieldOf(value, "size") === "number"
    );
  } catch {
    return false;
  }
}

/** Whether bytes are text, and more of them begin no character in UTF-8 than begin one beyond ASCII. */
export async function isLatin1(bytes: Uint8Array): Promise<boolean> {
  if (isUtf8(bytes) || isBinary(bytes)) return false;
  const decoder = new TextDecoder();
  let others = 0;
  await inParts(bytes.length, (from, to) => {
    const part = decoder.decode(bytes.subarray(from, to), { stream: to < bytes.length });
    for (let at = 0; at < part.length; at += 1) {
      const unit = part.charCodeAt(at);
      if (unit === 0xfffd) others += 1;
      else if (unit > 0x7f) others -= 1;
    }
  });
  return others > 0;
}

const SAMPLE_BYTES = 65_536;

/** Whether bytes are neither UTF-8 nor text in another encoding, as their first 64 KiB show. */
export function isBinary(bytes: Uint8Array): boolean {
  if (isUtf8(bytes)) return false;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) return true;
    // Tab, line ends, form feed and ESC occur in text.
    if (byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b) controls += 1;
  }
  return controls * 20 > sample.length;
}

export function bytesAsJson(bytes: Uint8Array): {
  readonly bytes: number;
  readonly base64: string;
} {
  return { bytes: bytes.length, base64: asBuffer(bytes).toString("base64") };
}
