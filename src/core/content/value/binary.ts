import { isAnyArrayBuffer } from "node:util/types";

/** The bytes of a value that is bytes: a Buffer, a typed array of single bytes, an ArrayBuffer, a DataView. */
export function byteView(value: unknown): Uint8Array | undefined {
  if (isAnyArrayBuffer(value)) return new Uint8Array(value);
  if (!ArrayBuffer.isView(value)) return undefined;
  const isBytes =
    value instanceof Uint8Array || value instanceof Uint8ClampedArray || value instanceof DataView;
  return isBytes ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : undefined;
}

/** A value whose bytes have to be asked for: a `Blob` or a `File`, of whatever library. */
export interface BlobLike {
  readonly size: number;
  stream(): AsyncIterable<unknown>;
}

/** Whether a value is a `Blob` or looks like one. */
export function isBlob(value: unknown): value is BlobLike {
  if (typeof value !== "object" || value === null) return false;
  try {
    return (
      typeof Reflect.get(value, "stream") === "function" &&
      typeof Reflect.get(value, "arrayBuffer") === "function" &&
      typeof Reflect.get(value, "size") === "number"
    );
  } catch {
    return false;
  }
}
