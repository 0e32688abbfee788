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

const FILES: readonly Row[] = [
  {
    name: "file",
    open: (rig) => ({ store: fileStore({ directory: rig.directory(), now: () => rig.nowMs }) }),
  },
];

const ROWS: readonly Row[] = [
  ...FILES,
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
        store: langgraphStore(base, { now: () => rig.nowMs, chunkBytes: 8_192 }),
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

const READ = { start_line: 2, end_line: 3 };

/** One life: stored twice, read, looked for by others, prolonged where that can be, expired and swept. */
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
  const sessionKey = sessionKeyOf(SESSION);
  const { artifacts } = await store.list(sessionKey);
  const { storedArtifact: artifact } = first as { storedArtifact: StoredArtifact };
  const kept = await rig.pinned({ first, second }, await left?.());
  const { drillIn } = offloader;
  const failed = async (answer: Promise<{ failed: boolean }>) => (await answer).failed;
  const read = async () =>
    await failed(drillIn.run("read", { id: artifact.id, ...READ }, { sessionKey }));
  const seen = {
    listed: artifacts.length,
    range: Buffer.from(await store.read(artifact, { start: 5, end: 25 })).toString(),
    ofAnother: (await store.stat(artifact.id, sessionKeyOf("session-2"))) ?? "nothing",
    read: await read(),
    // Bodies that lie elsewhere are copied to this machine first.
    jq: await failed(
      drillIn.run("jq", { id: artifact.id, filter: "length", slurp: true }, { sessionKey }),
    ),
    grep: await failed(
      drillIn.run("grep", { id: artifact.id, pattern: "record 77" }, { sessionKey }),
    ),
    isProlonged: Boolean(
      await store.refresh?.(artifact.id, sessionKey, artifact.expiresAt + 1_000),
    ),
    deleted: await store.delete(artifact.id, sessionKey),
    deletedAgain: await store.delete(artifact.id, sessionKey),
    readAfter: await read(),
  };
  rig.nowMs += 3_599_000;
  const swept = [(await offloader.sweep()).length];
  rig.nowMs += 1_000;
  // Another process has not seen it before.
  const { storedArtifact: last } = second as { storedArtifact: StoredArtifact };
  const expired = await failed(
    rig.offloader(options).drillIn.run("read", { id: last.id }, { sessionKey: last.sessionKey }),
  );
  swept.push((await offloader.sweep()).length);
  await offloader.close();
  return { kept, later: { ...seen, expired, swept, left: fieldsOf(await left?.()).length } };
}

export const stores: readonly Case[] = ROWS.map(({ name, available = true, open }) => ({
  name,
  available,
  run: async (rig) => await live(rig, await open(rig)),
}));
