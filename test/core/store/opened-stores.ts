import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import pg from "pg";
import { createClient } from "redis";
import { afterAll } from "vitest";
import type { ArtifactStore } from "../../../src/core/store/artifact-store.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { langgraphStore } from "../../../src/stores/langgraph/index.js";
import { postgresStore } from "../../../src/stores/postgres/index.js";
import { redisStore } from "../../../src/stores/redis/index.js";
import { s3Store } from "../../../src/stores/s3/index.js";
import { startS3Double } from "./s3-double.js";
import { s3Client } from "./s3-servers.js";
import { PG_URL, postgresAnswers, REDIS_URL, redisAnswers } from "./servers.js";

/** A medium of its own, which goes with the tests of the file. */
export interface OpenedMedium {
  /** A store of it, as another process has it. */
  store(options?: { readonly now?: () => number }): ArtifactStore;
  /** All that it keeps, names included. */
  bytes(): Promise<Buffer>;
}

const random = (): string => randomBytes(6).toString("hex");

/** The stores by name: whether their server answers, and how one is opened. */
export async function openableStores(): Promise<
  readonly (readonly [string, boolean, () => Promise<OpenedMedium>])[]
> {
  const endings: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  async function files(): Promise<OpenedMedium> {
    const directory = await mkdtemp(join(tmpdir(), "store-test-"));
    endings.push(() => rm(directory, { recursive: true }));
    return {
      store: (options) => fileStore({ directory, ...options }),
      bytes: async () => {
        const kept = (await readdir(directory)).map(async (name) =>
          Buffer.concat([Buffer.from(name), await readFile(join(directory, name))]),
        );
        return Buffer.concat(await Promise.all(kept));
      },
    };
  }

  async function postgres(): Promise<OpenedMedium> {
    const pool = new pg.Pool({ connectionString: PG_URL, max: 4 });
    const table = `offload_test_${random()}`;
    endings.push(() => pool.end());
    endings.push(() => pool.query(`DROP TABLE IF EXISTS ${table}_chunk, ${table}`));
    return {
      store: (options) => postgresStore({ pool, table, ...options }),
      bytes: async () => {
        const { rows } = await pool.query(`SELECT t::text AS row FROM ${table} t`);
        const chunks = await pool.query<{ data: Buffer }>(`SELECT data FROM ${table}_chunk`);
        return Buffer.concat([
          Buffer.from(JSON.stringify(rows)),
          ...chunks.rows.map(({ data }) => data),
        ]);
      },
    };
  }

  async function redis(): Promise<OpenedMedium> {
    const client = await createClient({ url: REDIS_URL }).connect();
    const prefix = `test:${random()}`;
    const keys = (): Promise<string[]> => client.keys(`{${prefix}}*`);
    endings.push(() => client.close());
    endings.push(async () => client.del(["-", ...(await keys())]));
    return {
      store: (options) => redisStore({ client, prefix, ...options }),
      bytes: async () => {
        const values = (await keys()).map(async (key) => {
          const isText = (await client.type(key)) === "string";
          const value = isText
            ? await client.sendCommand(["GETRANGE", key, "0", "-1"])
            : await client.zRange(key, 0, -1);
          return `${key} ${JSON.stringify(value)}`;
        });
        return Buffer.from((await Promise.all(values)).join("\n"), "latin1");
      },
    };
  }

  async function s3(): Promise<OpenedMedium> {
    const server = await startS3Double();
    const client = s3Client(server.port);
    endings.push(
      () => server.stop(),
      async () => client.destroy(),
    );
    return {
      store: (options) => s3Store({ client, bucket: "test", ...options }),
      bytes: async () =>
        Buffer.concat(
          [...server.objects].flatMap(([key, { body, metadata }]) => [
            Buffer.from(key + JSON.stringify(metadata)),
            body,
          ]),
        ),
    };
  }

  async function langgraph(): Promise<OpenedMedium> {
    const base = new InMemoryStore();
    return {
      store: (options) => langgraphStore(base, options),
      bytes: async () => {
        const items = await base.search([], { limit: 100_000 });
        const texts = items.flatMap(({ value }) => Object.values(value).map(String));
        const decoded = texts.map((text) => Buffer.from(text, "base64").toString("latin1"));
        return Buffer.from(JSON.stringify([items, decoded]));
      },
    };
  }

  return [
    ["files", true, files],
    ["langgraph", true, langgraph],
    ["postgres", await postgresAnswers(), postgres],
    ["redis", await redisAnswers(), redis],
    ["s3", true, s3],
  ];
}
