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
  readonly now?: () => number;
  readonly timeoutMs?: number;
}

/** A place of its own in a service that keeps artifacts. */
interface Service {
  readonly port: number;
  /** A client of its own, as another process has it, and the stores that it makes. */
  connect(port: number): Promise<(times?: StoreTimes) => ArtifactStore>;
  /** All that it keeps, names included, by rows, keys or objects. */
  kept(): Promise<readonly Buffer[]>;
  /** How `killed-writer.mjs` writes to it: `from` is its first step of a put. */
  readonly writer?:
    | {
        readonly kind: string;
        readonly place: string;
        readonly name: string;
        readonly sizeBytes: number;
        readonly from: number;
      }
    | undefined;
  /** Ends it and all clients, the latest first. */
  close(): Promise<void>;
}

/** A service behind a proxy that breaks connections; its writer goes past the proxy. */
export interface SharedRig extends Pick<Service, "writer" | "close"> {
  readonly proxy: CuttingProxy;
  connect(times: StoreTimes): Promise<ArtifactStore>;
  /** How many rows, keys or objects are kept. */
  left(): Promise<number>;
}

/** A kind of shared store. */
export interface SharedStoreKind {
  readonly name: string;
  readonly available: boolean;
  /** Size of a body that takes several requests. */
  readonly bodyBytes: number;
  start(): Promise<SharedRig>;
}

type Ending = () => unknown;

const endAll = (endings: readonly Ending[]) => async (): Promise<void> => {
  for (const end of endings.toReversed()) await end();
};

const random = (): string => randomBytes(6).toString("hex");

function at(url: string, port: number): string {
  const changed = new URL(url);
  changed.hostname = "127.0.0.1";
  changed.port = String(port);
  return changed.href;
}

const PG_PORT = Number(new URL(PG_URL).port || 5432);

export async function startPostgres(): Promise<Service> {
  const table = `offload_test_${random()}`;
  const admin = new pg.Pool({ connectionString: PG_URL, max: 1 });
  const endings: Ending[] = [
    () => admin.end(),
    () => admin.query(`DROP TABLE IF EXISTS ${table}_chunk, ${table}`),
  ];
  return {
    port: PG_PORT,
    connect: async (port) => {
      const pool = new pg.Pool({ connectionString: at(PG_URL, port), max: 4 });
      pool.on("error", () => undefined);
      endings.push(() => pool.end());
      return (times) => postgresStore({ pool, table, ...times });
    },
    kept: async () => {
      const { rows } = await admin.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`);
      const chunks = await admin.query<{ data: Buffer }>(`SELECT data FROM ${table}_chunk`);
      return [...rows.map(({ row }) => Buffer.from(row)), ...chunks.rows.map(({ data }) => data)];
    },
    // The tables are there, which takes the first four statements to find out.
    writer: { kind: "postgres", place: PG_URL, name: table, sizeBytes: 2_500_000, from: 4 },
    close: endAll(endings),
  };
}

export async function startRedis(): Promise<Service> {
  const prefix = `test:${random()}`;
  const admin = await createClient({ url: REDIS_URL }).connect();
  const keys = (): Promise<string[]> => admin.keys(`{${prefix}}*`);
  const endings: Ending[] = [() => admin.close(), async () => admin.del([...(await keys()), "-"])];
  return {
    port: Number(new URL(REDIS_URL).port || 6379),
    connect: async (port) => {
      const socket = { reconnectStrategy: () => 20 };
      const client = createClient({ url: at(REDIS_URL, port), socket });
      client.on("error", () => undefined);
      await client.connect();
      endings.push(() => client.destroy());
      return (times) => redisStore({ client, prefix, ...times });
    },
    kept: async () => {
      const values = (await keys()).map(async (key) => {
        const isText = (await admin.type(key)) === "string";
        const value = isText
          ? await admin.sendCommand(["GETRANGE", key, "0", "-1"])
          : await admin.zRange(key, 0, -1);
        return Buffer.from(`${key} ${JSON.stringify(value)}`, "latin1");
      });
      return await Promise.all(values);
    },
    writer: { kind: "redis", place: REDIS_URL, name: prefix, sizeBytes: 3_500_000, from: 0 },
    close: endAll(endings),
  };
}

export async function startS3(): Promise<Service> {
  const { port, objects, uploads, stop } = await startS3Double();
  const endings: Ending[] = [stop];
  const place = `http://127.0.0.1:${port}`;
  return {
    port,
    connect: async (port) => {
      const client = s3Client(port);
      endings.push(() => client.destroy());
      return (times) => s3Store({ client, bucket: "test", ...times });
    },
    kept: async () => [
      ...[...objects].map(([key, { body, metadata }]) =>
        Buffer.concat([Buffer.from(key + JSON.stringify(metadata)), body]),
      ),
      ...[...uploads.values()].map(({ key }) => Buffer.from(key)),
    ],
    writer: { kind: "s3", place, name: "offload", sizeBytes: 9_000_000, from: 0 },
    close: endAll(endings),
  };
}

async function startLangGraph(): Promise<Service> {
  const schema = `offload_test_${random()}`;
  const admin = new pg.Pool({ connectionString: PG_URL, max: 1 });
  const endings: Ending[] = [
    () => admin.end(),
    () => admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`),
  ];
  return {
    port: PG_PORT,
    connect: async (port) => {
      const base = PostgresStore.fromConnString(at(PG_URL, port), { schema });
      // It listens neither to its pool nor to its connections; one that is lost would end the process.
      const { pool } = Reflect.get(base, "core") as { pool: pg.Pool };
      pool.on("error", () => undefined);
      pool.on("connect", (client) => client.on("error", () => undefined));
      await base.setup();
      endings.push(() => base.stop());
      return (times) => langgraphStore(base, times);
    },
    kept: async () => {
      const { rows } = await admin.query(`SELECT t::text AS row FROM ${schema}.store t`);
      return rows.map(({ row }) => Buffer.from(String(row)));
    },
    close: endAll(endings),
  };
}

const behindProxy = (start: () => Promise<Service>) => async (): Promise<SharedRig> => {
  const service = await start();
  const proxy = await startCuttingProxy(service.port);
  return {
    proxy,
    writer: service.writer,
    connect: async (times) => (await service.connect(proxy.port))(times),
    left: async () => (await service.kept()).length,
    close: endAll([() => proxy.close(), () => service.close()]),
  };
};

export const hasPostgres: boolean = await postgresAnswers();
export const hasRedis: boolean = await redisAnswers();

/** The stores of several machines that are tested on real servers, S3 on a double. */
export const SHARED_STORES: readonly SharedStoreKind[] = (
  [
    ["postgres", hasPostgres, 9_000_000, startPostgres],
    ["redis", hasRedis, 3_000_000, startRedis],
    ["s3", true, 9_000_000, startS3],
    ["langgraph", hasPostgres, 3_000_000, startLangGraph],
  ] as const
).map(([name, available, bodyBytes, start]) => ({
  name,
  available,
  bodyBytes,
  start: behindProxy(start),
}));
