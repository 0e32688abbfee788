import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GetObjectCommand } from "@aws-sdk/client-s3";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import pg from "pg";
import { createClient } from "redis";

import { encodeRecord } from "../../src/core/store/artifact-record.js";
import type { ArtifactStore, NewArtifact } from "../../src/core/store/artifact-store.js";
import { fileStore } from "../../src/core/store/file/index.js";
import { langgraphStore } from "../../src/stores/langgraph/index.js";
import { memoryStore } from "../../src/core/store/memory.js";
import { scopeOf } from "../../src/core/store/naming.js";
import { postgresStore } from "../../src/stores/postgres/index.js";
import { redisStore } from "../../src/stores/redis/index.js";
import { s3Keys } from "../../src/stores/s3/driver.js";
import { s3Store } from "../../src/stores/s3/index.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
} from "../../src/testing/store-contract/contract-artifact.js";
import { inLanes } from "../../src/util/slices.js";
import { startS3Double } from "../../test/core/store/s3-double.js";
import { s3Client } from "../../test/core/store/s3-servers.js";
import { PG_URL, postgresAnswers, REDIS_URL, redisAnswers } from "../../test/core/store/servers.js";

export const SESSIONS = 1000;
const HOUR_MS = 3_600_000;
const NONCE = "0123456789abcdef";
const BODY = "1";
/** Links that a file may have, with room to spare. */
const MAX_LINKS = 30_000;

/** A store on a medium of its own, which was filled without it, as another process would have. */
export interface Filled {
  readonly store: ArtifactStore;
  /** What the bare medium does to give an artifact's record. */
  readonly bare?: ((artifact: NewArtifact) => Promise<unknown>) | undefined;
  readonly bareName: string;
  /** Whether the medium works in this thread, and holds its event loop. */
  readonly isHere?: boolean;
  close(): Promise<unknown>;
}

/** Opens a medium with these artifacts; `undefined` where no server answers. */
export type Medium = (artifacts: readonly NewArtifact[]) => Promise<Filled | undefined>;

/** Artifacts of a byte in 1,000 sessions. The first `due` expire within the first hour, the others in the ten days after. */
export function manyArtifacts(count: number, due: number): NewArtifact[] {
  return Array.from({ length: count }, (_, index) => {
    const hours = index < due ? 1 : 2 + (index % 240);
    const scope = scopeOf(`session ${index % SESSIONS}`);
    return contractArtifact(1, { scope, expiresAt: CONTRACT_START_MS + hours * HOUR_MS });
  });
}

const now = (): number => CONTRACT_START_MS;

async function openFile(artifacts: readonly NewArtifact[]): Promise<Filled> {
  // In memory where the system has that: a disk takes minutes to make so many files.
  const root = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const directory = await mkdtemp(join(root, "bench-many-"));
  const sources = Array.from({ length: Math.ceil(artifacts.length / MAX_LINKS) }, (_, index) =>
    join(directory, `body-${index}`),
  );
  for (const source of sources) await writeFile(source, BODY, { mode: 0o600 });
  await inLanes([...artifacts.entries()], 8, async ([index, artifact]) => {
    await link(sources[Math.floor(index / MAX_LINKS)] ?? "", join(directory, artifact.fileName));
    const sidecar = join(directory, `.atlatl-${artifact.id}.json`);
    await writeFile(sidecar, encodeRecord(artifact).text, { mode: 0o600 });
  });
  return {
    store: fileStore({ directory, now }),
    bare: ({ id }) => readFile(join(directory, `.atlatl-${id}.json`)),
    bareName: "fs.readFile",
    close: () => rm(directory, { recursive: true }),
  };
}

async function openMemory(artifacts: readonly NewArtifact[]): Promise<Filled> {
  const store = memoryStore({ now });
  for (const artifact of artifacts) await store.put(artifact, [Buffer.from(BODY)]);
  return { store, bareName: "-", close: async () => {} };
}

async function openLanggraph(artifacts: readonly NewArtifact[]): Promise<Filled> {
  const base = new InMemoryStore();
  const store = langgraphStore(base, { now });
  const data = Buffer.from(BODY).toString("base64");
  for (const artifact of artifacts) {
    const { id, scope, expiresAt } = artifact;
    const value = {
      record: encodeRecord(artifact).text,
      nonce: NONCE,
      chunkBytes: 1024,
      expiresAt,
    };
    await base.put(["offloadrecords", scope], id, value);
    await base.put(["offloadbodies", scope], `${id}-${NONCE}-0`, { data });
  }
  return {
    store,
    bare: ({ id, scope }) => base.get(["offloadrecords", scope], id),
    bareName: "InMemoryStore.get",
    isHere: true,
    close: async () => {},
  };
}

async function openPostgres(artifacts: readonly NewArtifact[]): Promise<Filled | undefined> {
  if (!(await postgresAnswers())) return undefined;
  const pool = new pg.Pool({ connectionString: PG_URL });
  const table = `offload_bench_${randomBytes(4).toString("hex")}`;
  const store = postgresStore({ pool, table, now });
  await store.sweep(0);
  for (let start = 0; start < artifacts.length; start += 10_000) {
    const some = artifacts.slice(start, start + 10_000);
    const columns = [
      some.map(({ id }) => id),
      some.map(({ scope }) => scope),
      some.map((artifact) => encodeRecord(artifact).text),
      some.map(({ expiresAt }) => expiresAt),
    ];
    await pool.query(
      `INSERT INTO ${table} (id, scope, record, expires_at)
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])`,
      columns,
    );
  }
  await pool.query(`INSERT INTO ${table}_chunk SELECT id, 0, '${BODY}'::bytea FROM ${table}`);
  await pool.query(`ANALYZE ${table}, ${table}_chunk`);
  return {
    store,
    bare: ({ id }) => pool.query(`SELECT record FROM ${table} WHERE id = $1`, [id]),
    bareName: "pg SELECT",
    close: async () => {
      await pool.query(`DROP TABLE ${table}_chunk, ${table}`);
      await pool.end();
    },
  };
}

async function openRedis(artifacts: readonly NewArtifact[]): Promise<Filled | undefined> {
  if (!(await redisAnswers())) return undefined;
  const client = await createClient({ url: REDIS_URL }).connect();
  const prefix = `bench:${randomBytes(4).toString("hex")}`;
  const root = `{${prefix}}`;
  const recordKey = (id: string, scope: string): string => `${root}:record:${scope}:${id}`;
  const bodyKey = (id: string, scope: string): string => `${root}:body:${scope}:${id}:${NONCE}`;
  for (let start = 0; start < artifacts.length; start += 5000) {
    await Promise.all(
      artifacts.slice(start, start + 5000).flatMap((artifact) => {
        const { id, scope, expiresAt } = artifact;
        const member = `${scope}:${id}:${NONCE}`;
        return [
          ["SET", recordKey(id, scope), `${NONCE}${encodeRecord(artifact).text}`],
          ["SET", bodyKey(id, scope), BODY],
          ["ZADD", `${root}:session:${scope}`, "0", id],
          ["ZADD", `${root}:expiry`, String(expiresAt), member],
        ].map((command) => client.sendCommand(command));
      }),
    );
  }
  return {
    store: redisStore({ client, prefix, now }),
    bare: ({ id, scope }) => client.get(recordKey(id, scope)),
    bareName: "redis GET",
    close: async () => {
      for await (const keys of client.scanIterator({ MATCH: `${root}*`, COUNT: 5000 })) {
        if (keys.length > 0) await client.unlink(keys);
      }
      await client.close();
    },
  };
}

async function openS3(artifacts: readonly NewArtifact[]): Promise<Filled> {
  const double = await startS3Double();
  const keys = s3Keys("offload");
  const metadata = { "x-amz-meta-writer": NONCE };
  for (const artifact of artifacts) {
    const body = Buffer.from(`${encodeRecord(artifact).text}\n${BODY}`);
    double.objects.set(keys.artifact(artifact), { body, metadata });
    double.objects.set(keys.expiry(artifact), { body: Buffer.alloc(0), metadata: {} });
  }
  const client = s3Client(double.port);
  return {
    store: s3Store({ client, bucket: "test", now }),
    bare: async (artifact) => {
      const command = new GetObjectCommand({ Bucket: "test", Key: keys.artifact(artifact) });
      return (await client.send(command)).Body?.transformToByteArray();
    },
    bareName: "AWS SDK on a double",
    isHere: true,
    close: async () => {
      client.destroy();
      await double.stop();
    },
  };
}

/** Every store, by its name. */
export const media: Readonly<Record<string, Medium>> = {
  memory: openMemory,
  file: openFile,
  langgraph: openLanggraph,
  postgres: openPostgres,
  redis: openRedis,
  s3: openS3,
};
