import { checkedOptions, having, notEmpty, optionsOf } from "../../util/option-rules.js";
import { isRecord } from "../../util/is-record.js";
import type { ArtifactStore } from "../../core/store/artifact-store.js";
import { driverStore } from "../../core/store/store-driver.js";
import { hearErrors, sharedOptions } from "../remote.js";
import type { PostgresPool } from "./connection.js";
import { postgresDriver, tableName, tablesOf } from "./driver.js";

export type { PostgresClient, PostgresPool } from "./connection.js";

/** Options of {@link postgresStore}: a pool, or where to connect to. */
export type PostgresStoreOptions = {
  /**
   * Name of the table, with a schema in front if you like; a second table has `_chunk` behind it.
   *
   * @defaultValue `"offloaded_output"`
   */
  readonly table?: string;
  /**
   * Longest wait for a connection, and for the answer to one statement, in milliseconds.
   *
   * @defaultValue 30,000
   */
  readonly timeoutMs?: number;
  /** Unix milliseconds, for expiry. Default: `Date.now`. */
  readonly now?: () => number;
} & (
  | {
      /**
       * A pool of `pg`; it stays yours to end. Each call uses one of its connections at a time, and the store listens
       * to its `error`: a connection that the server ends is replaced at the next call.
       */
      readonly pool: PostgresPool;
      readonly connectionString?: undefined;
    }
  | {
      /** Address of the database, for a small pool that ends with the process. */
      readonly connectionString: string;
      readonly pool?: undefined;
    }
);

const DEFAULT_TABLE = "offloaded_output";
const OWN_POOL_SIZE = 4;
const schema = optionsOf({
  table: tableName.optional(),
  ...sharedOptions,
  pool: having(["connect"], "a pool of `pg`, such as new pg.Pool()").optional(),
  connectionString: notEmpty("the address of a database, such as postgres://host/name").optional(),
}).refine(
  (given) => isRecord(given) && "pool" in given !== "connectionString" in given,
  "Use one of pool and connectionString",
);

/**
 * Keeps artifacts in PostgreSQL, from version 11 on: one transaction for each artifact, bodies in rows of
 * 256 KiB, of which a read takes only the bytes it needs. The tables are created on first use.
 * Needs the package `pg`.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when an option cannot be used.
 */
export function postgresStore(options: PostgresStoreOptions): ArtifactStore {
  const checked = checkedOptions<PostgresStoreOptions>("postgresStore", schema, options);
  const { table = DEFAULT_TABLE, now = Date.now, timeoutMs = 30_000 } = checked;
  const { pool, connectionString = "" } = checked;
  if (pool !== undefined) hearErrors(pool);
  const connect = async (): Promise<PostgresPool> => pool ?? (await ownPool(connectionString));
  return driverStore("postgres", postgresDriver(connect, tablesOf(table), timeoutMs), { now });
}

async function ownPool(connectionString: string): Promise<PostgresPool> {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    connectionString,
    max: OWN_POOL_SIZE,
    allowExitOnIdle: true,
  });
  hearErrors(pool);
  return pool;
}
