import { decodeRecord, decodeRecords, type KeptRecord } from "../artifact-record.js";
import type { NewArtifact } from "../artifact-store.js";
import { codeOf } from "../../util/files.js";
import type { DriverEntry, StoreDriver } from "../remote-store.js";
import { forEachFixedChunk } from "../body/fixed-chunks.js";
import { inTransaction, onConnection, type PostgresPool, type PostgresQuery } from "./client.js";
import { createTables, type PostgresTables } from "./schema.js";

/** Bytes of a body in one row. */
const CHUNK_BYTES = 256 * 1024;
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
    return onTables((pool) => onConnection(pool, (query) => query(text, values)));
  }

  async function insertChunks(
    query: PostgresQuery,
    { id, sizeBytes }: NewArtifact,
    body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const insert = `INSERT INTO ${chunks} (id, chunk, data) VALUES ($1, $2, $3)`;
    await forEachFixedChunk({ body, sizeBytes, chunkBytes: CHUNK_BYTES }, async (data, index) => {
      await query(insert, [id, index, data]);
    });
  }

  return {
    async write({ record, text }, body) {
      let isBodyTaken = false;
      const write = async (query: PostgresQuery): Promise<void> => {
        await query(
          `INSERT INTO ${artifacts} (id, scope, record, expires_at) VALUES ($1, $2, $3, $4)`,
          [record.id, record.scope, text, Math.ceil(record.expiresAt)],
        );
        isBodyTaken = true;
        await insertChunks(query, record, body);
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
        // PostgreSQL counts bytes from 1.
        const rows = await ask(
          // Base64: the driver takes rows as text, in which hexadecimal bytes are half as long again.
          `SELECT encode(substring(data
                FROM greatest(1, $2::bigint - chunk::bigint * ${CHUNK_BYTES} + 1)::integer
                FOR (least(${CHUNK_BYTES}, $3::bigint - chunk::bigint * ${CHUNK_BYTES})
                  - greatest(0, $2::bigint - chunk::bigint * ${CHUNK_BYTES}))::integer), 'base64') AS part
              FROM ${chunks} WHERE id = $1 AND chunk BETWEEN $4 AND $5 ORDER BY chunk`,
          [record.id, start, end, chunk, Math.min(last, chunk + CHUNKS_PER_READ - 1)],
        );
        for (const { part } of rows) {
          const data = Buffer.from(String(part), "base64");
          if (length + data.length > bytes.length) return undefined;
          bytes.set(data, length);
          length += data.length;
        }
      }
      return length === bytes.length ? bytes : undefined;
    },
    async listAfter(scope, afterId, { limit, nowMs }) {
      const rows = await ask(
        `SELECT record FROM ${artifacts}
          WHERE scope = $1 AND id > $2 AND expires_at > $3 ORDER BY id LIMIT $4`,
        [scope, afterId, Math.floor(nowMs), limit],
      );
      return decodeRecords(textsIn(rows));
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
      const swept: KeptRecord[] = [];
      for (;;) {
        // Rows that another sweep is deleting are its to report.
        const rows = await ask(
          `DELETE FROM ${artifacts} WHERE id IN (
            SELECT id FROM ${artifacts} WHERE expires_at <= $1
            ORDER BY expires_at LIMIT ${SWEEP_SIZE} FOR UPDATE SKIP LOCKED
          ) RETURNING record`,
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
