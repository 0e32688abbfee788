import { setTimeout as wait } from "node:timers/promises";
import { decodeRecord, decodeRecords } from "../../core/store/artifact-record.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import { piecesOf, readInParts } from "../../core/store/chunks.js";
import { driverStore } from "../../core/store/store-driver.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import { codeOf } from "../../util/files.js";
import { checkedOptions, having, optionsOf } from "../../util/option-rules.js";
import { textRule } from "../../util/text-rule.js";
import {
  boundedBy,
  type ErrorEmitter,
  hearErrors,
  sharedOptions,
  type SharedStoreOptions,
} from "../remote.js";

/** The part of a `pg` client that is used. */
export interface PostgresClient {
  query(query: {
    text: string;
    values?: unknown[];
  }): Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;
  on(event: "error", listener: (error: Error) => void): unknown;
  removeListener(event: "error", listener: (error: Error) => void): unknown;
  release(destroy?: boolean): void;
}

/** The part of a `pg` pool that is used: `new Pool(...)` of `pg` fits. */
export interface PostgresPool extends ErrorEmitter {
  connect(): Promise<PostgresClient>;
}

/** Options of {@link postgresStore}. */
export interface PostgresStoreOptions extends SharedStoreOptions {
  /**
   * A `pg` pool, which you must end. Each call uses one of its connections at a time. The store
   * listens to its `error`: the next call replaces a connection that the server ends.
   */
  readonly pool: PostgresPool;
  /**
   * Name of the table, optionally with a schema; the name of a second table adds `_chunk`.
   * @defaultValue `"offloaded_output"`
   */
  readonly table?: string;
}

const DEFAULT_TABLE = "offloaded_output";
const TABLE_PATTERN = /^(?:[A-Za-z_][A-Za-z0-9_]{0,47}\.)?[A-Za-z_][A-Za-z0-9_]{0,47}$/;
const schema = optionsOf({
  table: textRule(
    TABLE_PATTERN,
    "1 to 48 letters, digits and _ that begin with no digit, and the same for a schema with a dot in front",
  ).optional(),
  pool: having(["connect"], "a pool of `pg`, such as new pg.Pool()"),
  ...sharedOptions,
});

/**
 * Keeps artifacts in PostgreSQL 11 or later. Each artifact is written in one transaction, its body in rows of 256 KiB,
 * of which a read takes only the bytes it needs. The tables are created on first use. Needs the package `pg`.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function postgresStore(options: PostgresStoreOptions): ArtifactStore {
  const checked = checkedOptions<PostgresStoreOptions>("postgresStore", schema, options);
  const { table = DEFAULT_TABLE, now, timeoutMs = 30_000, pool } = checked;
  hearErrors(pool);
  const [name, space] = table.split(".").toReversed();
  const place = space === undefined ? "" : `"${space}".`;
  const [artifacts, chunks] = [`${place}"${name}"`, `${place}"${name}_chunk"`];
  const bounded = boundedBy("PostgreSQL", timeoutMs);
  let ready: Promise<void> | undefined;

  async function despiteOthers<T>(job: () => Promise<T>): Promise<T> {
    const until = performance.now() + timeoutMs;
    for (;;) {
      try {
        return await job();
      } catch (error) {
        const isLate = performance.now() + WAIT_MS >= until;
        if (isLate || !PASSING.has(codeOf(error) ?? "")) throw error;
      }
      // At another time than others who have met the same.
      await wait(WAIT_MS * Math.random());
    }
  }

  /** A connection on which something failed is closed, because its state is unknown. */
  async function onConnection<T>(job: (query: PostgresQuery) => Promise<T>): Promise<T> {
    const connecting = despiteOthers(() => pool.connect());
    const client = await bounded("a connection", () => connecting).catch((error: unknown) => {
      connecting.then((late) => late.release(), ignore);
      throw error;
    });
    let failed = true;
    client.on("error", ignore);
    try {
      const result = await job(async (text, values = []) => {
        return (await bounded("a statement", () => client.query({ text, values }))).rows;
      });
      failed = false;
      return result;
    } finally {
      client.removeListener("error", ignore);
      client.release(failed);
    }
  }

  async function inTransaction<T>(job: (query: PostgresQuery) => Promise<T>): Promise<T> {
    return onConnection(async (query) => {
      // The body can be consumed only once, so a stricter isolation level could not retry.
      await query("BEGIN ISOLATION LEVEL READ COMMITTED");
      // Without a commit, closing the connection rolls back.
      const result = await job(query);
      await query("COMMIT");
      return result;
    });
  }

  async function createTables() {
    await inTransaction(async (query) => {
      // CREATE ... IF NOT EXISTS fails when two run at the same moment.
      await query("SELECT pg_advisory_xact_lock(hashtext($1))::text", [
        `langchain-offload ${artifacts}`,
      ]);
      // ALTER TABLE on tables that another process writes to could deadlock.
      const [found] = await query(
        "SELECT to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AS are_there",
        [artifacts, chunks],
      );
      if (found?.["are_there"] === true) return;
      // "C" sorts ids by their bytes in every database. Expiry is in Unix milliseconds.
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
      // Uncompressed, so that a part of a chunk can be read alone.
      await query(`ALTER TABLE ${chunks} ALTER COLUMN data SET STORAGE EXTERNAL`);
      await query(`CREATE INDEX IF NOT EXISTS "${name}_expiry" ON ${artifacts} (expires_at)`);
    });
  }

  async function onTables<T>(job: () => Promise<T>): Promise<T> {
    let isReady = false;
    try {
      await (ready ??= createTables());
      isReady = true;
      return await job();
    } catch (error) {
      // The next call retries: the server may be back, or dropped tables must be created again.
      if (!isReady || codeOf(error) === UNDEFINED_TABLE) ready = undefined;
      throw error;
    }
  }

  async function ask(text: string, values: unknown[]): Promise<Rows> {
    return onTables(() => despiteOthers(() => onConnection((query) => query(text, values))));
  }

  const deleting = (where: string) =>
    `WITH gone AS (DELETE FROM ${artifacts} WHERE ${where} RETURNING id, record),
      bodies AS (DELETE FROM ${chunks} AS body USING gone WHERE body.id = gone.id)
      SELECT record FROM gone`;

  return driverStore(
    "postgres",
    {
      async write({ record: { id, sessionKey, sizeBytes, expiresAt }, text }, body) {
        await onTables(() =>
          inTransaction(async (query) => {
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
        return decodeRecord(found);
      },
      readBytes: ({ record }, range) =>
        readInParts(range, { partBytes: READ_BYTES, atOnce: 1 }, async ({ start, end }) => {
          const [first, last] = [start, end - 1].map((at) => Math.floor(at / CHUNK_BYTES));
          const rows = await ask(
            `SELECT ${PART} FROM ${chunks} WHERE id = $5 AND chunk BETWEEN $3 AND $4 ORDER BY chunk`,
            [start, end, first, last, record.id],
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
        const swept: StoredArtifact[] = [];
        for (;;) {
          // Rows locked by another sweep are reported by it. An array uses the index; a subquery
          // would read the whole table.
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
    },
    now,
  );
}

type Rows = readonly Record<string, unknown>[];

type PostgresQuery = (text: string, values?: unknown[]) => Promise<Rows>;

/** Transient PostgreSQL errors: too many connections, serialization failure, deadlock. */
const PASSING = new Set(["53300", "40001", "40P01"]);
const WAIT_MS = 100;

// A lost connection also emits `error`, which would end the process without a listener.
function ignore(): void {
  return undefined;
}

const CHUNK_BYTES = 256 * 1024;
const READ_BYTES = 32 * CHUNK_BYTES;
const UNDEFINED_TABLE = "42P01";
const SWEEP_SIZE = 1000;

/**
 * The bytes of a chunk from $1 to $2 of the body; PostgreSQL counts from 1. In base64, because the
 * driver takes rows as text, in which hexadecimal is half as long again.
 */
const PART = `encode(substring(data
    FROM greatest(1, $1::bigint - chunk::bigint * ${CHUNK_BYTES} + 1)::integer
    FOR ($2::bigint - greatest($1::bigint, chunk::bigint * ${CHUNK_BYTES}))::integer), 'base64') AS part`;

function textsIn(rows: Rows): string[] {
  return rows.map(({ record }) => String(record));
}
