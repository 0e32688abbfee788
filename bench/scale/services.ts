import pg from "pg";
import { createClient } from "redis";

import { PG_URL, postgresAnswers, REDIS_URL, redisAnswers } from "../../test/core/store/servers.js";
import { REDIS_DATABASE, REDIS_PREFIX, SCHEMA, TABLE } from "./open-store.js";
import { processorMsOf } from "./processor-time.js";

/** A server, as who watches it sees it. */
export interface Service {
  readonly name: "postgres" | "redis";
  processorMs(): number;
  /** Connections of the agents' processes. */
  connections(): Promise<number>;
  /** Bytes that it holds for the outputs, on its disk or in its memory. */
  heldBytes(): Promise<number>;
  /** Bytes that it has written to its log since it was set up. */
  loggedBytes(): Promise<number>;
  /** Deletes whatever a run has stored. */
  close(): Promise<void>;
}

/** PostgreSQL with an empty schema; `undefined` when there is no server. */
export async function openPostgres(): Promise<Service | undefined> {
  if (!(await postgresAnswers())) return undefined;
  const client = new pg.Client({ connectionString: PG_URL });
  await client.connect();
  const number = async (text: string): Promise<number> =>
    Number((await client.query<{ value: string }>(text)).rows[0]?.value ?? NaN);
  // What a run has left that was killed.
  await client.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
  await client.query(`CREATE SCHEMA ${SCHEMA}`);
  return {
    name: "postgres",
    processorMs: () => processorMsOf("postgres"),
    connections: () =>
      number(`SELECT count(*) AS value FROM pg_stat_activity WHERE application_name = '${SCHEMA}'`),
    heldBytes: () =>
      number(
        `SELECT pg_total_relation_size('${TABLE}') + pg_total_relation_size('${TABLE}_chunk') AS value`,
      ),
    loggedBytes: () => number("SELECT pg_current_wal_lsn() - '0/0' AS value"),
    close: async () => {
      await client.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
      await client.end();
    },
  };
}

/** Redis without the keys of this bench; `undefined` when there is no server. */
export async function openRedis(): Promise<Service | undefined> {
  if (!(await redisAnswers())) return undefined;
  const client = createClient({ url: REDIS_URL, database: REDIS_DATABASE });
  await client.connect();
  const field = async (section: string, name: string): Promise<number> =>
    Number(new RegExp(`${name}:(\\d+)`).exec(await client.info(section))?.[1] ?? NaN);
  const clear = async (): Promise<void> => {
    for await (const keys of client.scanIterator({ MATCH: `{${REDIS_PREFIX}}*`, COUNT: 1000 })) {
      if (keys.length > 0) await client.unlink(keys);
    }
  };
  await clear();
  const emptyBytes = await field("memory", "used_memory_dataset");
  return {
    name: "redis",
    processorMs: () => processorMsOf("redis-server"),
    connections: async () =>
      (await client.clientList()).filter(({ name }) => name === SCHEMA).length,
    heldBytes: async () => (await field("memory", "used_memory_dataset")) - emptyBytes,
    loggedBytes: async () => 0,
    close: async () => {
      await clear();
      await client.close();
    },
  };
}
