import { randomBytes } from "node:crypto";
import { PostgresStore } from "@langchain/langgraph-checkpoint-postgres/store";
import pg from "pg";
import { createClient } from "redis";
import type { ArtifactStore } from "../../../src/core/store/artifact-store.js";
import { langgraphStore } from "../../../src/stores/langgraph/index.js";
import { postgresStore } from "../../../src/stores/postgres/index.js";
import { redisStore } from "../../../src/stores/redis/index.js";
import { s3Store } from "../../../src/stores/s3/index.js";
import { type CuttingProxy, startCuttingProxy } from "./cutting-proxy.js";
import { startS3Double } from "./s3-double.js";
import { s3Client } from "./s3-servers.js";
import { PG_URL, postgresAnswers, REDIS_URL, redisAnswers } from "./servers.js";

/** How a store of a test takes the time, and how long it waits. */
interface StoreTimes {
  readonly now: () => number;
  readonly timeoutMs?: number;
}

/** A service that keeps artifacts, with a proxy before it that breaks connections. */
export interface SharedRig {
  readonly proxy: CuttingProxy;
  /** A store with a client of its own, as another process has it. */
  connect(times: StoreTimes): Promise<ArtifactStore>;
  /** How `killed-writer.mjs` writes to it, past the proxy: `from` is its first step of a put. */
  readonly writer?: {
    readonly kind: string;
    readonly place: string;
    readonly name: string;
    readonly sizeBytes: number;
    readonly from: number;
  };
  /** How many rows, keys or objects are kept. */
  left(): Promise<number>;
  close(): Promise<void>;
}

/** A kind of shared store. */
export interface SharedStoreKind {
  readonly name: string;
  readonly available: boolean;
  /** Size of a body that takes several requests. */
  readonly bodyBytes: number;
  start(): Promise<SharedRig>;
}

type Ending = () => Promise<unknown>;

async function endAll(endings: readonly Ending[]): Promise<void> {
  for (const end of endings.toReversed()) await end();
}

function throughProxy(url: string, proxy: CuttingProxy): string {
  const changed = new URL(url);
  changed.hostname = "127.0.0.1";
  changed.port = String(proxy.port);
  return changed.href;
}

async function startPostgres(): Promise<SharedRig> {
  const proxy = await startCuttingProxy(Number(new URL(PG_URL).port || 5432));
  const table = `offload_test_${randomBytes(6).toString("hex")}`;
  const admin = new pg.Pool({ connectionString: PG_URL, max: 1 });
  const endings: Ending[] = [
    () => admin.end(),
    () => admin.query(`DROP TABLE IF EXISTS ${table}_chunk, ${table}`),
    () => proxy.close(),
  ];
  return {
    proxy,
    connect: async (times) => {
      const pool = new pg.Pool({ connectionString: throughProxy(PG_URL, proxy), max: 4 });
      pool.on("error", () => undefined);
      endings.push(() => pool.end());
      return postgresStore({ pool, table, ...times });
    },
    // The tables are there, which takes the first four statements to find out.
    writer: { kind: "postgres", place: PG_URL, name: table, sizeBytes: 2_500_000, from: 4 },
    left: async () => {
      const { rows } = await admin.query(
        `SELECT (SELECT count(*) FROM ${table}) + (SELECT count(*) FROM ${table}_chunk) AS count`,
      );
      return Number(rows[0]?.count);
    },
    close: () => endAll(endings),
  };
}

async function startRedis(): Promise<SharedRig> {
  const proxy = await startCuttingProxy(Number(new URL(REDIS_URL).port || 6379));
  const prefix = `test:${randomBytes(6).toString("hex")}`;
  const admin = await createClient({ url: REDIS_URL }).connect();
  const keys = (): Promise<string[]> => admin.keys(`{${prefix}}*`);
  const endings: Ending[] = [
    () => admin.close(),
    async () => admin.del([...(await keys()), "-"]),
    () => proxy.close(),
  ];
  return {
    proxy,
    connect: async (times) => {
      const client = createClient({
        url: throughProxy(REDIS_URL, proxy),
        socket: { reconnectStrategy: () => 20 },
      });
      client.on("error", () => undefined);
      await client.connect();
      endings.push(async () => client.destroy());
      return redisStore({ client, prefix, ...times });
    },
    writer: { kind: "redis", place: REDIS_URL, name: prefix, sizeBytes: 3_500_000, from: 0 },
    left: async () => (await keys()).length,
    close: () => endAll(endings),
  };
}

async function startS3(): Promise<SharedRig> {
  const server = await startS3Double();
  const proxy = await startCuttingProxy(server.port);
  const endings: Ending[] = [() => server.stop(), () => proxy.close()];
  const place = `http://127.0.0.1:${server.port}`;
  return {
    proxy,
    writer: { kind: "s3", place, name: "offload", sizeBytes: 9_000_000, from: 0 },
    connect: async (times) => {
      const client = s3Client(proxy.port);
      endings.push(async () => client.destroy());
      return s3Store({ client, bucket: "test", ...times });
    },
    left: async () => server.objects.size + server.uploads.size,
    close: () => endAll(endings),
  };
}

async function startLangGraph(): Promise<SharedRig> {
  const proxy = await startCuttingProxy(Number(new URL(PG_URL).port || 5432));
  const schema = `offload_test_${randomBytes(6).toString("hex")}`;
  const admin = new pg.Pool({ connectionString: PG_URL, max: 1 });
  const endings: Ending[] = [
    () => admin.end(),
    () => admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`),
    () => proxy.close(),
  ];
  return {
    proxy,
    connect: async (times) => {
      const base = PostgresStore.fromConnString(throughProxy(PG_URL, proxy), { schema });
      // It listens neither to its pool nor to its connections; one that is lost would end the process.
      const { pool } = Reflect.get(base, "core") as { pool: pg.Pool };
      pool.on("error", () => undefined);
      pool.on("connect", (client) => client.on("error", () => undefined));
      await base.setup();
      endings.push(() => base.stop());
      return langgraphStore(base, times);
    },
    left: async () => {
      const { rows } = await admin.query(`SELECT count(*) AS count FROM ${schema}.store`);
      return Number(rows[0]?.count);
    },
    close: () => endAll(endings),
  };
}

const postgres = await postgresAnswers();
const redis = await redisAnswers();

/** The stores of several machines that are tested on real servers, S3 on a double. */
export const SHARED_STORES: readonly SharedStoreKind[] = [
  {
    name: "postgres",
    available: postgres,
    bodyBytes: 9_000_000,
    start: startPostgres,
  },
  {
    name: "redis",
    available: redis,
    bodyBytes: 3_000_000,
    start: startRedis,
  },
  {
    name: "s3",
    available: true,
    bodyBytes: 9_000_000,
    start: startS3,
  },
  {
    name: "langgraph",
    available: postgres,
    bodyBytes: 3_000_000,
    start: startLangGraph,
  },
];
