import pg from "pg";
import { createClient } from "redis";

/** Where the test servers are. */
export const PG_URL: string = process.env["PG_URL"] ?? "postgres://root@127.0.0.1:5432/test";
export const REDIS_URL: string = process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379";

/** Whether PostgreSQL answers; says so when it does not, for CI counts what is skipped. */
export async function postgresAnswers(): Promise<boolean> {
  const client = new pg.Client({ connectionString: PG_URL, connectionTimeoutMillis: 2000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    console.warn(`Skipped: no PostgreSQL at PG_URL (${PG_URL}): ${String(error)}`);
    return false;
  }
}

/** Whether Redis answers; says so when it does not, for CI counts what is skipped. */
export async function redisAnswers(): Promise<boolean> {
  const client = createClient({
    url: REDIS_URL,
    socket: { connectTimeout: 2000, reconnectStrategy: false },
  });
  try {
    client.on("error", () => undefined);
    await client.connect();
    await client.close();
    return true;
  } catch (error) {
    console.warn(`Skipped: no Redis at REDIS_URL (${REDIS_URL}): ${String(error)}`);
    return false;
  }
}
