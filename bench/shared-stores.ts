import { randomBytes } from "node:crypto";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import pg from "pg";
import { createClient } from "redis";
import type { ArtifactStore } from "../src/core/store/artifact-store.js";
import { postgresStore } from "../src/stores/postgres/index.js";
import { redisStore } from "../src/stores/redis/index.js";
import { s3Store } from "../src/stores/s3/index.js";
import { contractArtifact, patternBytes } from "../src/testing/store-contract/contract-artifact.js";
import { s3Client, startFauxS3, startMoto } from "../test/core/store/s3-servers.js";
import { PG_URL, postgresAnswers, REDIS_URL, redisAnswers } from "../test/core/store/servers.js";
import type { BenchRow } from "./row.js";

const MEGABYTE = 1024 * 1024;
const RUNS = 5;
const PART_BYTES = 8192;
const SIZES = [
  { label: "1 MiB", sizeBytes: MEGABYTE },
  { label: "50 MiB", sizeBytes: 50 * MEGABYTE },
];

/** What the service's own client does with one value. */
interface Plain {
  put(body: Buffer): Promise<unknown>;
  read(start: number, end: number): Promise<unknown>;
  remove(): Promise<unknown>;
}

interface Service {
  readonly name: string;
  readonly store: ArtifactStore;
  readonly plain: Plain;
  readonly alternative: string;
  close(): Promise<void>;
}

const now = (): number => contractArtifact(0).createdAt;

async function openPostgres(): Promise<Service | undefined> {
  if (!(await postgresAnswers())) return undefined;
  const pool = new pg.Pool({ connectionString: PG_URL });
  const table = `offload_bench_${randomBytes(4).toString("hex")}`;
  await pool.query(`CREATE TABLE ${table}_plain (id text PRIMARY KEY, data bytea)`);
  await pool.query(`ALTER TABLE ${table}_plain ALTER COLUMN data SET STORAGE EXTERNAL`);
  return {
    name: "postgres",
    store: postgresStore({ pool, table, now }),
    alternative: "pg, one bytea",
    plain: {
      put: (body) => pool.query(`INSERT INTO ${table}_plain VALUES ('x', $1)`, [body]),
      read: (start, end) =>
        pool.query(`SELECT substring(data FROM $1 FOR $2) FROM ${table}_plain`, [
          start + 1,
          end - start,
        ]),
      remove: () => pool.query(`DELETE FROM ${table}_plain`),
    },
    close: async () => {
      await pool.query(`DROP TABLE IF EXISTS ${table}_plain, ${table}_chunk, ${table}`);
      await pool.end();
    },
  };
}

async function openRedis(): Promise<Service | undefined> {
  if (!(await redisAnswers())) return undefined;
  const client = await createClient({ url: REDIS_URL }).connect();
  const prefix = `bench:${randomBytes(4).toString("hex")}`;
  return {
    name: "redis",
    store: redisStore({ client, prefix, now }),
    alternative: "redis, SET and GETRANGE",
    plain: {
      put: (body) => client.set(`{${prefix}}plain`, body),
      read: (start, end) => client.getRange(`{${prefix}}plain`, start, end - 1),
      remove: () => client.del(`{${prefix}}plain`),
    },
    close: async () => {
      await client.del(["-", ...(await client.keys(`{${prefix}}*`))]);
      await client.close();
    },
  };
}

function plainS3(client: S3Client): Plain {
  const target = { Bucket: "test", Key: "plain" };
  return {
    put: (body) => client.send(new PutObjectCommand({ ...target, Body: body })),
    read: async (start, end) => {
      const range = new GetObjectCommand({ ...target, Range: `bytes=${start}-${end - 1}` });
      return (await client.send(range)).Body?.transformToByteArray();
    },
    remove: () => client.send(new DeleteObjectCommand(target)),
  };
}

async function openS3(): Promise<Service> {
  const moto = await startMoto();
  const server = moto ?? (await startFauxS3());
  const client = s3Client(server.port);
  return {
    name: "s3",
    store: s3Store({ client, bucket: "test", now }),
    alternative: `AWS SDK on ${moto === undefined ? "fauxqs" : "moto"}`,
    plain: plainS3(client),
    close: async () => {
      client.destroy();
      await server.stop();
    },
  };
}

async function timed(job: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await job();
  return performance.now() - start;
}

function row(service: Service, action: string, times: readonly [number, number][]): BenchRow {
  const median = (side: 0 | 1): number =>
    times.map((pair) => pair[side]).toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
  const [ours, other] = [median(0), median(1)];
  return {
    group: "shared-stores",
    name: `${action}, ${service.name}`,
    ours: `${ours.toFixed(2)} ms`,
    other: `${other.toFixed(2)} ms (${service.alternative})`,
    ratio: `${(ours / other).toFixed(2)} x`,
    goal: "-",
    met: null,
  };
}

async function measure(service: Service): Promise<BenchRow[]> {
  const { store, plain } = service;
  const rows: BenchRow[] = [];
  for (const { label, sizeBytes } of SIZES) {
    const body = Buffer.from(patternBytes(sizeBytes));
    const [puts, parts]: [[number, number][], [number, number][]] = [[], []];
    const range = { start: sizeBytes >> 1, end: (sizeBytes >> 1) + PART_BYTES };
    // The first run warms caches and the compiler.
    for (let run = -1; run < RUNS; run += 1) {
      const artifact = contractArtifact(sizeBytes);
      const put = await timed(() => store.put(artifact, [body]));
      const plainPut = await timed(() => plain.put(body));
      const part = await timed(() => store.read(artifact, range));
      const plainPart = await timed(() => plain.read(range.start, range.end));
      await store.delete(artifact.id, artifact.scope);
      await plain.remove();
      if (run < 0) continue;
      puts.push([put, plainPut]);
      parts.push([part, plainPart]);
    }
    rows.push(row(service, `put ${label}`, puts));
    rows.push(row(service, `read 8 KiB in the middle of ${label}`, parts));
  }
  return rows;
}

/** Puts and ranged reads of the shared stores against the services' own clients. */
export async function benchSharedStores(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const open of [openPostgres, openRedis, openS3]) {
    const service = await open();
    if (service === undefined) continue;
    try {
      rows.push(...(await measure(service)));
    } finally {
      await service.close();
    }
  }
  return rows;
}
