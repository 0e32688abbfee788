import type { ZodType } from "zod";
import { decodeRecord, decodeRecords } from "../../core/store/artifact-record.js";
import type { NewArtifact } from "../../core/store/artifact-store.js";
import { piecesOf, readInParts } from "../../core/store/chunks.js";
import type { DriverEntry, StoreDriver } from "../../core/store/store-driver.js";
import { codeOf } from "../../util/files.js";
import { rule } from "../../util/option-rules.js";
import {
  despiteOthers,
  inTransaction,
  onConnection,
  type PostgresPool,
  type Rows,
} from "./connection.js";

/** Bytes of a body in one row, and in one statement that reads rows. */
const CHUNK_BYTES = 256 * 1024;
const READ_BYTES = 32 * CHUNK_BYTES;
/** PostgreSQL's code for a table that is not there. */
const UNDEFINED_TABLE = "42P01";
/** Artifacts deleted in one statement of a sweep. */
const SWEEP_SIZE = 1000;

/**
 * Of a chunk, the bytes from $1 to $2 of the body; PostgreSQL counts them from 1. In base64: the driver takes rows as
 * text, in which hexadecimal bytes are half as long again.
 */
const PART = `encode(substring(data
    FROM greatest(1, $1::bigint - chunk::bigint * ${CHUNK_BYTES} + 1)::integer
    FOR (least(${CHUNK_BYTES}, $2::bigint - chunk::bigint * ${CHUNK_BYTES})
      - greatest(0, $1::bigint - chunk::bigint * ${CHUNK_BYTES}))::integer), 'base64') AS part`;

export function postgresDriver(
  connect: () => Promise<PostgresPool>,
  tables: PostgresTables,
  timeoutMs: number,
): StoreDriver<DriverEntry> {
  const { artifacts, chunks } = tables;
  let ready: Promise<PostgresPool> | undefined;

  async function prepare(): Promise<PostgresPool> {
    const pool = await connect();
    await createTables(pool, timeoutMs, tables);
    return pool;
  }

  async function onTables<T>(job: (pool: PostgresPool) => Promise<T>): Promise<T> {
    let isReady = false;
    try {
      const pool = await (ready ??= prepare());
      isReady = true;
      return await job(pool);
    } catch (error) {
      // The server may be back at the next call, or the tables, which somebody has dropped since, are made then.
      if (!isReady || codeOf(error) === UNDEFINED_TABLE) ready = undefined;
      throw error;
    }
  }

  async function ask(text: string, values: readonly unknown[]): Promise<Rows> {
    return onTables((pool) =>
      despiteOthers(timeoutMs, () => onConnection(pool, timeoutMs, (query) => query(text, values))),
    );
  }

  /** Deletes artifacts with their bodies, and gives their records. */
  const deleting = (where: string): string =>
    `WITH gone AS (DELETE FROM ${artifacts} WHERE ${where} RETURNING id, record),
      bodies AS (DELETE FROM ${chunks} AS body USING gone WHERE body.id = gone.id)
      SELECT record FROM gone`;

  return {
    async write({ record: { id, sessionKey, sizeBytes, expiresAt }, text }, body) {
      await onTables((pool) =>
        inTransaction(pool, timeoutMs, async (query) => {
          await query(
            `INSERT INTO ${artifacts} (id, session_key, record, expires_at) VALUES ($1, $2, $3, $4)`,
            [id, sessionKey, text, Math.ceil(expiresAt)],
          );
          let chunk = 0;
          for await (const data of piecesOf(body, sizeBytes, CHUNK_BYTES)) {
            const values = [id, chunk, data];
            await query(`INSERT INTO ${chunks} (id, chunk, data) VALUES ($1, $2, $3)`, values);
            chunk += 1;
          }
        }),
      );
    },
    async find(id, sessionKey) {
      const text = `SELECT record FROM ${artifacts} WHERE id = $1 AND session_key = $2`;
      const [found = ""] = textsIn(await ask(text, [id, sessionKey]));
      const record = decodeRecord(found);
      return record && { record, text: found };
    },
    readBytes: ({ record }, range) =>
      readInParts(range, { partBytes: READ_BYTES, atOnce: 1 }, async ({ start, end }) => {
        const rows = await ask(
          `SELECT ${PART} FROM ${chunks} WHERE id = $5 AND chunk BETWEEN $3 AND $4 ORDER BY chunk`,
          [
            start,
            end,
            Math.floor(start / CHUNK_BYTES),
            Math.floor((end - 1) / CHUNK_BYTES),
            record.id,
          ],
        );
        return Buffer.concat(rows.map(({ part }) => Buffer.from(String(part), "base64")));
      }),
    async page(sessionKey, after, limit) {
      const rows = await ask(
        `SELECT id, record FROM ${artifacts} WHERE session_key = $1 AND id > $2 ORDER BY id LIMIT $3`,
        [sessionKey, after, limit],
      );
      return {
        records: await decodeRecords(textsIn(rows)),
        next: rows.length < limit ? undefined : String(rows.at(-1)?.["id"]),
      };
    },
    async replace({ record: { id, sessionKey } }, expiresAt, text) {
      const rows = await ask(
        `UPDATE ${artifacts} SET record = $3, expires_at = $4
          WHERE id = $1 AND session_key = $2 AND expires_at < $4 RETURNING id`,
        [id, sessionKey, text, Math.ceil(expiresAt)],
      );
      return rows.length > 0;
    },
    async remove(id, sessionKey) {
      return (await ask(deleting("id = $1 AND session_key = $2"), [id, sessionKey])).length > 0;
    },
    async sweep(nowMs) {
      const swept: NewArtifact[] = [];
      for (;;) {
        // Rows that another sweep is deleting are its to report. As an array: a set is joined by reading the whole table.
        const rows = await ask(
          deleting(`id = ANY (ARRAY (
            SELECT id FROM ${artifacts} WHERE expires_at <= $1
            ORDER BY expires_at LIMIT ${SWEEP_SIZE} FOR UPDATE SKIP LOCKED
          ))`),
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

function textsIn(rows: Rows): string[] {
  return rows.flatMap(({ record }) => (typeof record === "string" ? record : []));
}

interface PostgresTables {
  readonly artifacts: string;
  readonly chunks: string;
}

const TABLE_PATTERN = /^(?:[A-Za-z_][A-Za-z0-9_]{0,47}\.)?[A-Za-z_][A-Za-z0-9_]{0,47}$/;

/** What the table of a store may be called. */
export const tableName: ZodType = rule(
  (value) => typeof value === "string" && TABLE_PATTERN.test(value),
  "1 to 48 letters, digits and _ that begin with no digit, and the same for a schema with a dot in front",
);

export function tablesOf(table: string): PostgresTables {
  const [name, schema] = table.split(".").toReversed();
  const place = schema === undefined ? "" : `"${schema}".`;
  return { artifacts: `${place}"${name}"`, chunks: `${place}"${name}_chunk"` };
}

async function createTables(
  pool: PostgresPool,
  timeoutMs: number,
  { artifacts, chunks }: PostgresTables,
): Promise<void> {
  const index = `${artifacts.slice(artifacts.lastIndexOf(".") + 1, -1)}_expiry"`;
  await inTransaction(pool, timeoutMs, async (query) => {
    // CREATE ... IF NOT EXISTS fails when two run at the same moment.
    await query("SELECT pg_advisory_xact_lock(hashtext($1))::text", [
      `langchain-offload ${artifacts}`,
    ]);
    // Changing tables that another process already writes to would wait for it, and it for us.
    const [found] = await query(
      "SELECT to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AS are_there",
      [artifacts, chunks],
    );
    if (found?.["are_there"] === true) return;
    // "C": ids sort by their bytes in every database. Expiry in Unix milliseconds.
    await query(`CREATE TABLE IF NOT EXISTS ${artifacts} (
      id text COLLATE "C" PRIMARY KEY,
      session_key text COLLATE "C" NOT NULL,
      record text NOT NULL,
      expires_at bigint NOT NULL,
      UNIQUE (session_key, id)
    )`);
    await query(`CREATE TABLE IF NOT EXISTS ${chunks} (
      id text COLLATE "C" NOT NULL,
      chunk integer NOT NULL,
      data bytea NOT NULL,
      PRIMARY KEY (id, chunk)
    )`);
    // Kept as it comes, so that a part of a chunk is read without unpacking all of it.
    await query(`ALTER TABLE ${chunks} ALTER COLUMN data SET STORAGE EXTERNAL`);
    await query(`CREATE INDEX IF NOT EXISTS ${index} ON ${artifacts} (expires_at)`);
  });
}
