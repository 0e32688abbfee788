import { decodeRecord, decodeRecords } from "../../core/store/artifact-record.js";
import type { NewArtifact } from "../../core/store/artifact-store.js";
import { codeOf } from "../../util/files.js";
import type { DriverEntry, StoreDriver } from "../../core/store/store-driver.js";
import { forEachFixedChunk } from "../../core/store/body/chunks.js";
import {
  createTables,
  despiteConflicts,
  inTransaction,
  onConnection,
  type PostgresPool,
  type PostgresQuery,
  type PostgresTables,
} from "./client.js";

/** Bytes of a body in one row. */
const CHUNK_BYTES: number = 256 * 1024;

/**
 * Of a chunk, the bytes from $1 to $2 of the body; PostgreSQL counts them from 1. In base64: the driver takes rows as
 * text, in which hexadecimal bytes are half as long again.
 */
const PART: string = `encode(substring(data
    FROM greatest(1, $1::bigint - chunk::bigint * ${CHUNK_BYTES} + 1)::integer
    FOR (least(${CHUNK_BYTES}, $2::bigint - chunk::bigint * ${CHUNK_BYTES})
      - greatest(0, $1::bigint - chunk::bigint * ${CHUNK_BYTES}))::integer), 'base64') AS part`;

/** Bytes of a chunk, and its number. */
interface ChunkRow {
  readonly chunk: number;
  readonly data: Uint8Array;
}

/** Cuts a piece of a body, of which so many chunks come before it, into chunks. */
function rowsOf(piece: Uint8Array, before: number): ChunkRow[] {
  return Array.from({ length: Math.ceil(piece.length / CHUNK_BYTES) }, (_, index) => ({
    chunk: before + index,
    data: piece.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
  }));
}

/** The parts that a statement with {@link PART} has found. */
function partsIn(rows: readonly Record<string, unknown>[]): Buffer[] {
  return rows.flatMap(({ part }) => (typeof part === "string" ? Buffer.from(part, "base64") : []));
}

/** Bytes of a body in one statement, which writes four rows. */
const PIECE_BYTES = 4 * CHUNK_BYTES;
/** Rows asked for in one statement: 8 MiB. */
const CHUNKS_PER_READ = 32;
/** PostgreSQL's code for a table that is not there. */
const UNDEFINED_TABLE = "42P01";
/** Artifacts deleted in one statement of a sweep. */
const SWEEP_SIZE = 1000;

/** Artifacts as rows of two tables, which are created on first use. */
export function postgresDriver(
  connect: () => Promise<PostgresPool>,
  { artifacts, chunks }: PostgresTables,
): StoreDriver<DriverEntry> {
  let ready: Promise<PostgresPool> | undefined;

  async function prepare(): Promise<PostgresPool> {
    const pool = await connect();
    await createTables(pool, { artifacts, chunks });
    return pool;
  }

  async function withTables(): Promise<PostgresPool> {
    ready ??= prepare();
    try {
      return await ready;
    } catch (error) {
      // The server may be back at the next call.
      ready = undefined;
      throw error;
    }
  }

  /**
   * Runs a job, and once more when somebody has dropped the tables since they were created. A job that cannot be
   * repeated fails then, and the next one finds the tables.
   */
  async function onTables<T>(
    job: (pool: PostgresPool) => Promise<T>,
    canRepeat: () => boolean = () => true,
  ): Promise<T> {
    try {
      return await job(await withTables());
    } catch (error) {
      if (codeOf(error) !== UNDEFINED_TABLE) throw error;
      ready = undefined;
      if (!canRepeat()) throw error;
      return await job(await withTables());
    }
  }

  async function ask(
    text: string,
    values: readonly unknown[],
  ): Promise<readonly Record<string, unknown>[]> {
    return onTables((pool) =>
      despiteConflicts(() => onConnection(pool, (query) => query(text, values))),
    );
  }

  return {
    async write({ record, text }, body) {
      let isBodyTaken = false;
      const { id, sizeBytes } = record;
      const write = async (query: PostgresQuery): Promise<void> => {
        await query(
          `INSERT INTO ${artifacts} (id, scope, record, expires_at) VALUES ($1, $2, $3, $4)`,
          [id, record.scope, text, Math.ceil(record.expiresAt)],
        );
        isBodyTaken = true;
        await forEachFixedChunk(
          { body, sizeBytes, chunkBytes: PIECE_BYTES },
          async (piece, index) => {
            const rows = rowsOf(piece, index * (PIECE_BYTES / CHUNK_BYTES));
            const parts = rows.map(({ chunk }, place) => `($1, ${chunk}, $${place + 2})`);
            const values = [id, ...rows.map(({ data }) => data)];
            await query(`INSERT INTO ${chunks} (id, chunk, data) VALUES ${parts.join()}`, values);
          },
        );
      };
      await onTables(
        (pool) => inTransaction(pool, write),
        () => !isBodyTaken,
      );
    },
    async find(id, scope) {
      const rows = await ask(`SELECT record FROM ${artifacts} WHERE id = $1 AND scope = $2`, [
        id,
        scope,
      ]);
      const [text = ""] = textsIn(rows);
      const record = decodeRecord(text);
      return record && { record, text };
    },
    async readBytes({ record }, { start, end }) {
      const bytes = new Uint8Array(end - start);
      const last = Math.floor((end - 1) / CHUNK_BYTES);
      let length = 0;
      for (let chunk = Math.floor(start / CHUNK_BYTES); chunk <= last; chunk += CHUNKS_PER_READ) {
        const rows = await ask(
          `SELECT ${PART} FROM ${chunks} WHERE id = $5 AND chunk BETWEEN $3 AND $4 ORDER BY chunk`,
          [start, end, chunk, Math.min(last, chunk + CHUNKS_PER_READ - 1), record.id],
        );
        for (const data of partsIn(rows)) {
          if (length + data.length > bytes.length) return undefined;
          bytes.set(data, length);
          length += data.length;
        }
      }
      return length === bytes.length ? bytes : undefined;
    },
    async listAfter(scope, afterId, { limit, nowMs }) {
      const found: NewArtifact[] = [];
      for (let after = afterId; ;) {
        const rows = await ask(
          `SELECT id, record FROM ${artifacts}
            WHERE scope = $1 AND id > $2 AND expires_at > $3 ORDER BY id LIMIT $4`,
          [scope, after, Math.floor(nowMs), limit],
        );
        found.push(...(await decodeRecords(textsIn(rows))));
        // A record that cannot be read is none, and not the end of the list.
        if (found.length >= limit || rows.length < limit) return found.slice(0, limit);
        after = String(rows.at(-1)?.["id"]);
      }
    },
    async replace({ record: { id, scope } }, expiresAt, text) {
      const rows = await ask(
        `UPDATE ${artifacts} SET record = $3, expires_at = $4
          WHERE id = $1 AND scope = $2 AND expires_at < $4 RETURNING id`,
        [id, scope, text, Math.ceil(expiresAt)],
      );
      return rows.length > 0;
    },
    async remove(id, scope) {
      const text = `DELETE FROM ${artifacts} WHERE id = $1 AND scope = $2 RETURNING id`;
      return (await ask(text, [id, scope])).length > 0;
    },
    async sweep(nowMs) {
      const swept: NewArtifact[] = [];
      for (;;) {
        // Rows that another sweep is deleting are its to report. As an array: a set is joined by reading the whole table.
        const rows = await ask(
          `DELETE FROM ${artifacts} WHERE id = ANY (ARRAY (
            SELECT id FROM ${artifacts} WHERE expires_at <= $1
            ORDER BY expires_at LIMIT ${SWEEP_SIZE} FOR UPDATE SKIP LOCKED
          )) RETURNING record`,
          [Math.floor(nowMs)],
        );
        swept.push(...(await decodeRecords(textsIn(rows))));
        if (rows.length < SWEEP_SIZE) return swept;
      }
    },
    async nextExpiry() {
      const [row] = await ask(`SELECT min(expires_at) AS next FROM ${artifacts}`, []);
      return Number(row?.["next"] ?? Infinity);
    },
  };
}

function textsIn(rows: readonly Record<string, unknown>[]): string[] {
  return rows.flatMap(({ record }) => (typeof record === "string" ? record : []));
}
