import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import pg from "pg";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encrypted } from "../../../src/stores/encrypted/index.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { langgraphStore } from "../../../src/stores/langgraph/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { postgresStore } from "../../../src/stores/postgres/index.js";
import { redisStore } from "../../../src/stores/redis/index.js";
import { s3Store } from "../../../src/stores/s3/index.js";
import { storeContract } from "../../../src/testing/store-contract/store-contract.js";
import { startS3Double } from "../../core/store/s3-double.js";
import { s3Client } from "../../core/store/s3-servers.js";
import { PG_URL, postgresAnswers, REDIS_URL, redisAnswers } from "../../core/store/servers.js";

const keys = { current: { id: "2026-01", key: randomBytes(32) } };
const postgres = await postgresAnswers();
const redis = await redisAnswers();
const pool = new pg.Pool({ connectionString: PG_URL, max: 4, allowExitOnIdle: true });
const client = createClient({ url: REDIS_URL });
const s3 = await startS3Double();
const s3Connection = s3Client(s3.port);

beforeAll(async () => {
  if (redis) await client.connect();
});

afterAll(async () => {
  await pool.end();
  if (redis) await client.close();
  s3Connection.destroy();
  await s3.stop();
});

storeContract(
  "encrypted memory",
  async ({ now }) => ({
    store: encrypted(memoryStore({ now }), keys),
    cleanup: async () => undefined,
  }),
  { describe, it, expect },
);

storeContract(
  "encrypted files",
  async ({ now }) => {
    const directory = await mkdtemp(join(tmpdir(), "store-test-"));
    return {
      store: encrypted(fileStore({ directory, now }), keys),
      cleanup: () => rm(directory, { recursive: true }),
      rewriteRecord: async ({ id }, change) => {
        const sidecar = join(directory, `.atlatl-${id}.json`);
        await writeFile(sidecar, change(await readFile(sidecar, "utf8")));
      },
    };
  },
  { describe, it, expect },
);

storeContract(
  "encrypted postgres",
  async ({ now }) => {
    const table = `offload_test_${randomBytes(6).toString("hex")}`;
    return {
      store: encrypted(postgresStore({ pool, table, now }), keys),
      cleanup: async () => void (await pool.query(`DROP TABLE IF EXISTS ${table}_chunk, ${table}`)),
      rewriteRecord: async ({ id }, change) => {
        const select = `SELECT record FROM ${table} WHERE id = $1`;
        const { rows } = await pool.query<{ record: string }>(select, [id]);
        const text = change(rows[0]?.record ?? "");
        await pool.query(`UPDATE ${table} SET record = $2 WHERE id = $1`, [id, text]);
      },
    };
  },
  { describe, it: it.skipIf(!postgres), expect },
);

storeContract(
  "encrypted redis",
  async ({ now }) => {
    const prefix = `test:${randomBytes(6).toString("hex")}`;
    return {
      store: encrypted(redisStore({ client, prefix, now }), keys),
      cleanup: async () => void (await client.del([...(await client.keys(`{${prefix}}*`)), "-"])),
      rewriteRecord: async ({ id, sessionKey }, change) => {
        const key = `{${prefix}}:record:${sessionKey}:${id}`;
        const value = (await client.get(key)) ?? "";
        await client.set(key, value.slice(0, 16) + change(value.slice(16)), { KEEPTTL: true });
      },
    };
  },
  { describe, it: it.skipIf(!redis), expect },
);

storeContract(
  "encrypted s3",
  async ({ now }) => {
    const prefix = `test/${randomBytes(6).toString("hex")}`;
    return {
      store: encrypted(s3Store({ client: s3Connection, bucket: "test", prefix, now }), keys),
      cleanup: async () => s3.objects.clear(),
    };
  },
  { describe, it, expect },
);

storeContract(
  "encrypted langgraph",
  async ({ now }) => ({
    store: encrypted(langgraphStore(new InMemoryStore(), { now }), keys),
    cleanup: async () => undefined,
  }),
  { describe, it, expect },
);
