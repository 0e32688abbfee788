import type { ByteRange } from "../../core/store/artifact-store.js";

/** Bytes of a body in one row. */
export const CHUNK_BYTES: number = 256 * 1024;

/**
 * Of a chunk, the bytes from $1 to $2 of the body; PostgreSQL counts them from 1. In base64: the driver takes rows as
 * text, in which hexadecimal bytes are half as long again.
 */
export const PART: string = `encode(substring(data
    FROM greatest(1, $1::bigint - chunk::bigint * ${CHUNK_BYTES} + 1)::integer
    FOR (least(${CHUNK_BYTES}, $2::bigint - chunk::bigint * ${CHUNK_BYTES})
      - greatest(0, $1::bigint - chunk::bigint * ${CHUNK_BYTES}))::integer), 'base64') AS part`;

/** Bytes of a chunk, and its number. */
export interface ChunkRow {
  readonly chunk: number;
  readonly data: Uint8Array;
}

/** Cuts a piece of a body, of which so many chunks come before it, into chunks. */
export function rowsOf(piece: Uint8Array, before: number): ChunkRow[] {
  return Array.from({ length: Math.ceil(piece.length / CHUNK_BYTES) }, (_, index) => ({
    chunk: before + index,
    data: piece.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
  }));
}

/** The first and the last chunk that a range has bytes of. */
export function chunksOf({ start, end }: ByteRange): [number, number] {
  return [Math.floor(start / CHUNK_BYTES), Math.floor((end - 1) / CHUNK_BYTES)];
}

/** Parts of a body, one after the other. */
export function joined(parts: readonly Buffer[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** The parts that a statement with {@link PART} has found. */
export function partsIn(rows: readonly Record<string, unknown>[]): Buffer[] {
  return rows.flatMap(({ part }) => (typeof part === "string" ? Buffer.from(part, "base64") : []));
}
