import pg from "pg";
import { createClient } from "redis";

import type { ArtifactStore } from "../../src/core/store/artifact-store.js";
import type { postgresStore } from "../../src/stores/postgres/index.js";
import type { redisStore } from "../../src/stores/redis/index.js";
import { PG_URL, REDIS_URL } from "../../test/core/store/servers.js";
import type { Opening } from "./messages.js";

/** A schema and a name of its own: whatever is in it is a run's of this bench. */
export const SCHEMA = "offload_scale";
export const TABLE: string = `${SCHEMA}.output`;
export const REDIS_PREFIX = "offload-scale";
export const REDIS_DATABASE = 9;

const BUILT = new URL("../../dist/stores/", import.meta.url);

/** Opens the store as a process of agents does. */
export async function openStore({
  service,
  connections,
}: Pick<Opening, "service" | "connections">): Promise<{
  readonly store: ArtifactStore;
  close(): Promise<void>;
}> {
  if (service === "postgres") {
    const built: { readonly postgresStore: typeof postgresStore } = await import(
      new URL("postgres/index.js", BUILT).href
    );
    const pool = new pg.Pool({
      connectionString: PG_URL,
      max: connections,
      application_name: SCHEMA,
    });
    pool.on("error", () => undefined);
    return { store: built.postgresStore({ pool, table: TABLE }), close: () => pool.end() };
  }
  const built: { readonly redisStore: typeof redisStore } = await import(
    new URL("redis/index.js", BUILT).href
  );
  const client = createClient({ url: REDIS_URL, database: REDIS_DATABASE, name: SCHEMA });
  client.on("error", () => undefined);
  await client.connect();
  return {
    store: built.redisStore({ client, prefix: REDIS_PREFIX }),
    close: () => client.close(),
  };
}
