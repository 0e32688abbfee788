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
  type Offloader,
  type OffloadOptions,
  postgresStore,
  redisStore,
  s3Store,
  sessionKeyOf,
  type StoredArtifact,
} from "../entries.js";
import { fieldsOf } from "../plain.js";
import type { Case } from "../pins.js";
import { type Rig, SESSION } from "../rig.js";
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

/** One life: stored twice, read, swept and expired. What a store does by itself is the contract's. */
async function live(rig: Rig, { store, left }: Opened): Promise<unknown> {
  const options: OffloadOptions = { store: rig.watched(store) };
  const offloader = rig.offloader(options);
  const value = JSON.stringify(records(120));
  const first = await tellOf(offloader.offload(outputOf({ value, args: { query: "all" } })), value);
  rig.nowMs += 1_000;
  const text = words(2_000);
  const second = await tellOf(
    offloader.offload(outputOf({ value: text, sessionId: "session-2", toolName: "logs" })),
    text,
  );
  const kept = await rig.pinned({ first, second }, await left?.());
  const idOf = (told: unknown): string =>
    (told as { storedArtifact: StoredArtifact }).storedArtifact.id;
  const failed = async (asked: Offloader, tool: string, session: string, args: object) =>
    (await asked.drillIn.run(tool, args, { sessionKey: sessionKeyOf(session) })).failed;
  const id = idOf(first);
  const seen = {
    read: await failed(offloader, "read", SESSION, { id, start_line: 2, end_line: 3 }),
    readByAnother: await failed(offloader, "read", "session-2", { id }),
    // Bodies that lie elsewhere are copied to this machine first.
    jq: await failed(offloader, "jq", SESSION, { id, filter: "length", slurp: true }),
    grep: await failed(offloader, "grep", SESSION, { id, pattern: "record 77" }),
  };
  rig.nowMs += 3_599_000;
  const swept = [(await offloader.sweep()).length];
  rig.nowMs += 1_000;
  // Another process has not seen it before.
  const expired = await failed(rig.offloader(options), "read", "session-2", { id: idOf(second) });
  swept.push((await offloader.sweep()).length);
  await offloader.close();
  return { kept, later: { ...seen, expired, swept, left: fieldsOf(await left?.()).length } };
}

export const stores: readonly Case[] = ROWS.map(({ name, available = true, open }) => ({
  name,
  available,
  run: async (rig) => await live(rig, await open(rig)),
}));
