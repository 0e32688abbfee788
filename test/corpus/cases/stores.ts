import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import pg from "pg";
import { createClient } from "redis";

import { startS3Double } from "../../core/store/s3-double.js";
import { s3Client } from "../../core/store/s3-servers.js";
import { PG_URL, postgresAnswers, REDIS_URL, redisAnswers } from "../../core/store/servers.js";
import { records, words } from "../data.js";
import {
  type ArtifactStore,
  fileStore,
  langgraphStore,
  postgresStore,
  redisStore,
  s3Store,
} from "../entries.js";
import type { Case } from "../pins.js";
import type { Rig } from "../rig.js";
import { outputOf, tellOf } from "../offload-case.js";

/** A store, and what lies in it as it is. */
interface Opened {
  readonly store: ArtifactStore;
  readonly left?: () => Promise<unknown>;
}

interface Row {
  readonly name: string;
  readonly available?: boolean;
  readonly open: (rig: Rig) => Opened | Promise<Opened>;
}

const hasPostgres = await postgresAnswers();
const hasRedis = await redisAnswers();

const ROWS: readonly Row[] = [
  {
    name: "file",
    open: (rig) => ({ store: fileStore({ directory: rig.directory(), now: () => rig.nowMs }) }),
  },
  {
    name: "LangGraph's, in memory",
    open: (rig) => {
      const base = new InMemoryStore();
      const items = async () =>
        (await base.search([], { limit: 100 })).map(({ namespace, key, value }) => ({
          namespace,
          key,
          value,
        }));
      return {
        store: langgraphStore(base, { now: () => rig.nowMs }),
        left: items,
      };
    },
  },
  {
    name: "S3, a double",
    open: async (rig) => {
      const server = await startS3Double();
      const client = s3Client(server.port);
      rig.atEnd(() => server.stop());
      rig.atEnd(() => client.destroy());
      const objects = async () =>
        await Promise.resolve(
          [...server.objects].map(([key, { body, metadata }]) => ({ key, body, metadata })),
        );
      return { store: s3Store({ client, bucket: "test", now: () => rig.nowMs }), left: objects };
    },
  },
  {
    name: "PostgreSQL",
    available: hasPostgres,
    open: async (rig) => {
      const schema = `corpus_${process.pid}`;
      const pool = new pg.Pool({
        connectionString: PG_URL,
        max: 2,
        options: `-c search_path=${schema} -c timezone=UTC`,
      });
      await pool.query(`CREATE SCHEMA ${schema}`);
      rig.atEnd(async () => {
        await pool.query(`DROP SCHEMA ${schema} CASCADE`);
        await pool.end();
      });
      const rowsOf = async (table: string) =>
        (await pool.query(`SELECT * FROM ${table} ORDER BY 1, 2`)).rows;
      return {
        store: postgresStore({ pool, table: "output", now: () => rig.nowMs }),
        left: async () => ({
          output: await rowsOf("output"),
          chunks: await rowsOf("output_chunk"),
        }),
      };
    },
  },
  {
    name: "Redis",
    available: hasRedis,
    open: async (rig) => {
      // The server's own clock ends what is over.
      rig.nowMs = Date.UTC(2096, 0, 2, 3, 4, 5);
      const client = await createClient({ url: REDIS_URL }).connect();
      const prefix = `corpus:${process.pid}`;
      const keys = async () => (await client.keys(`{${prefix}}*`)).toSorted();
      rig.name(prefix, "<prefix>");
      rig.atEnd(async () => {
        await client.del([...(await keys()), "-"]);
        await client.close();
      });
      return { store: redisStore({ client, prefix, now: () => rig.nowMs }), left: keys };
    },
  },
];

/** Stored twice: what a store does by itself is the contract's. */
async function store(rig: Rig, { store: opened, left }: Opened): Promise<unknown> {
  const offloader = rig.offloader({ store: rig.watched(opened) });
  const value = JSON.stringify(records(120));
  const first = await tellOf(offloader.offload(outputOf({ value, args: { query: "all" } })), value);
  rig.nowMs += 1_000;
  const text = words(2_000);
  const given = outputOf({ value: text, sessionId: "session-2", toolName: "logs" });
  const second = await tellOf(offloader.offload(given), text);
  const kept = await rig.pinned({ first, second }, await left?.());
  await offloader.close();
  return kept;
}

export const stores: readonly Case[] = ROWS.map(({ name, available = true, open }) => ({
  name,
  available,
  run: async (rig) => await store(rig, await open(rig)),
}));
