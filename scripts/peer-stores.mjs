/**
 * The contract of stores and a question in SQL, with the clients that are installed in the folder it runs in.
 * Argument: the module of an S3 server. A database that does not answer is left out, and said so.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, describe, it } from "node:test";

import { S3Client } from "@aws-sdk/client-s3";
import { createOffloader } from "langchain-offload";
import { postgresStore } from "langchain-offload/store/postgres";
import { redisStore } from "langchain-offload/store/redis";
import { s3Store } from "langchain-offload/store/s3";
import { storeContract } from "langchain-offload/testing";
import pg from "pg";
import { createClient } from "redis";

const { PG_URL = "postgres://root@127.0.0.1:5432/test", REDIS_URL = "redis://127.0.0.1:6379" } =
  process.env;
const { startS3Double } = await import(process.argv[2]);
const expect = (actual) => ({
  toBe: (expected) => assert.equal(actual, expected),
  toEqual: (expected) => assert.deepEqual(actual, expected),
});
const tools = { describe, it, expect };
const fresh = () => `offload_peers_${randomBytes(6).toString("hex")}`;

/** What opens a server, or `undefined` when there is none. */
async function answering(name, open) {
  try {
    return await open();
  } catch (error) {
    console.error(`skip ${name}: ${String(error)}`);
    return undefined;
  }
}

const pool = await answering("pg", async () => {
  const opened = new pg.Pool({ connectionString: PG_URL, max: 4 });
  await opened.query("SELECT 1");
  return opened;
});
if (pool !== undefined) {
  const open = async ({ now }) => {
    const table = fresh();
    const cleanup = () => pool.query(`DROP TABLE IF EXISTS ${table}_chunk, ${table}`);
    return { store: postgresStore({ pool, table, now }), cleanup };
  };
  storeContract("postgres", open, tools);
  after(() => pool.end());
}

const client = await answering("redis", async () => {
  const socket = { connectTimeout: 2000, reconnectStrategy: false };
  return await createClient({ url: REDIS_URL, socket }).connect();
});
if (client !== undefined) {
  const open = async ({ now }) => {
    const prefix = fresh();
    const cleanup = async () => client.del([...(await client.keys(`{${prefix}}*`)), "-"]);
    return { store: redisStore({ client, prefix, now }), cleanup };
  };
  storeContract("redis", open, tools);
  after(() => client.close());
}

const openS3 = async ({ now }) => {
  const server = await startS3Double();
  const s3 = new S3Client({
    endpoint: `http://127.0.0.1:${server.port}`,
    forcePathStyle: true,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  const cleanup = async () => {
    s3.destroy();
    await server.stop();
  };
  return { store: s3Store({ client: s3, bucket: "test", now }), cleanup };
};
storeContract("s3", openS3, tools);

void it("SQL answers", async () => {
  const offloader = createOffloader({ drillIn: { sql: {} } });
  const rows = Array.from({ length: 2000 }, (_, id) => ({ id, city: id % 2 ? "Rome" : "Oslo" }));
  const value = JSON.stringify(rows);
  const result = await offloader.offload({ toolName: "list", value, sessionId: "peers" });
  const { id, sessionKey } = result.storedArtifact;
  const query = "SELECT city, count(*) AS n FROM output GROUP BY city ORDER BY city";
  const answer = await offloader.drillIn.run("sql", { id, query }, { sessionKey });
  assert.match(answer.text, /Oslo\W+1000[^]*Rome\W+1000/);
  await offloader.endSession("peers");
  await offloader.close();
});
