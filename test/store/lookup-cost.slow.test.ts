import { randomBytes } from "node:crypto";
import pg from "pg";
import { createClient } from "redis";
import { afterAll, describe, expect, it } from "vitest";

import type { ArtifactStore } from "../../src/store/artifact-store.js";
import { postgresStore } from "../../src/store/postgres/index.js";
import { redisStore } from "../../src/store/redis/index.js";
import { s3Store } from "../../src/store/s3/index.js";
import { CONTRACT_START_MS } from "../../src/testing/store-contract/contract-artifact.js";
import type { StoredArtifact } from "../../src/types/artifact.js";
import { countingCalls } from "./counting-calls.js";
import { FEW, fill, lookupCalls, MANY } from "./lookup-calls.js";
import { startS3Double } from "./s3-double.js";
import { s3Client } from "./s3-servers.js";
import { PG_URL, postgresAnswers, REDIS_URL, redisAnswers } from "./servers.js";

const now = (): number => CONTRACT_START_MS;
const name = `test_${randomBytes(6).toString("hex")}`;
const endings: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of endings.toReversed()) await end();
});

type Counted = readonly [ArtifactStore, () => number];

async function onPostgres(): Promise<Counted> {
  const pool = new pg.Pool({ connectionString: PG_URL, max: 4 });
  endings.push(() => pool.end());
  endings.push(() => pool.query(`DROP TABLE IF EXISTS ${name}_chunk, ${name}`));
  let statements = 0;
  const counting = {
    connect: async () => {
      const client = await pool.connect();
      return {
        query: (query: { text: string; values: unknown[] }) => {
          statements += 1;
          return client.query(query);
        },
        on: (event: "error", listener: (error: Error) => void) => client.on(event, listener),
        removeListener: (event: "error", listener: (error: Error) => void) =>
          client.removeListener(event, listener),
        release: (destroy?: boolean) => client.release(destroy),
      };
    },
  };
  return [postgresStore({ pool: counting, table: name, now }), () => statements];
}

async function onRedis(): Promise<Counted> {
  const connected = await createClient({ url: REDIS_URL }).connect();
  endings.push(() => connected.close());
  endings.push(async () => connected.del([...(await connected.keys(`{${name}}*`)), "-"]));
  const [client, calls] = countingCalls(connected);
  return [redisStore({ client, prefix: name, now }), calls];
}

async function onS3(): Promise<Counted> {
  const server = await startS3Double();
  endings.push(() => server.stop());
  const connected = s3Client(server.port);
  endings.push(async () => connected.destroy());
  const [client, calls] = countingCalls(connected);
  return [s3Store({ client, bucket: "test", now }), calls];
}

const stores: readonly (readonly [string, boolean, () => Promise<Counted>])[] = [
  ["postgres", await postgresAnswers(), onPostgres],
  ["redis", await redisAnswers(), onRedis],
  ["s3", true, onS3],
];

describe("a lookup", { timeout: 300_000 }, () => {
  for (const [kind, available, open] of stores) {
    it.skipIf(!available)(
      `in the ${kind} store takes the same calls with ${FEW} and with ${MANY} artifacts`,
      async () => {
        const [store, calls] = await open();
        const stored: StoredArtifact[] = [];
        await fill(store, stored, FEW);
        const { "delete: true": deleteOfFew = 0, ...few } = await lookupCalls(store, stored, calls);
        await fill(store, stored, MANY);
        const { "delete: true": deleteOfMany, ...many } = await lookupCalls(store, stored, calls);
        expect(many).toEqual(few);
        expect(few["stat: object"]).toBeGreaterThan(0);
        // In S3 the one catalog that has a copy of its record goes too.
        expect(deleteOfMany).toBeLessThanOrEqual(deleteOfFew + (kind === "s3" ? 1 : 0));
      },
    );
  }
});
