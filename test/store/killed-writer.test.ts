import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { createClient } from "redis";
import { describe, expect, it } from "vitest";
import type { ArtifactStore } from "../../src/store/artifact-store.js";
import { fileStore } from "../../src/store/file.js";
import { limitConcurrency } from "../../src/store/limit-concurrency.js";
import { scopeOf } from "../../src/store/naming.js";
import { postgresStore } from "../../src/store/postgres.js";
import { redisStore } from "../../src/store/redis.js";
import { s3Store } from "../../src/store/s3.js";
import { CONTRACT_START_MS, CONTRACT_TTL_MS } from "../../src/testing/contract-artifact.js";
import { patternBytes } from "../../src/testing/contract-body.js";
import { startS3Double } from "./s3-double.js";
import { s3Client } from "./s3-servers.js";
import { PG_URL, postgresAnswers, REDIS_URL, redisAnswers } from "./servers.js";
import { temporaryDirectories } from "./temporary-directory.js";

const WRITER = fileURLToPath(new URL("killed-writer.mjs", import.meta.url));
const SCOPE = scopeOf("session one");
const DAY_MS = 24 * 3_600_000;
const EXPIRY_MS = CONTRACT_START_MS + CONTRACT_TTL_MS;
/** Calls to the file system that one put makes, or a few more. */
const STEPS_OF_A_FILE = 13;
const now = (): number => CONTRACT_START_MS;
const makeDirectory = temporaryDirectories();
const postgres = await postgresAnswers();
const redis = await redisAnswers();

interface Writer {
  readonly kind: string;
  readonly place: string;
  readonly name: string;
  /** Artifacts that are stored at once. */
  readonly puts: number;
  readonly step: number;
  readonly moment: "before" | "after";
  readonly sizeBytes: number;
}

/** Runs a writer until it ends; the ids that it began, and whether it was killed. */
async function runWriter(writer: Writer): Promise<{ ids: string[]; killed: boolean }> {
  const { kind, place, name, puts, step, moment, sizeBytes } = writer;
  const args = [kind, place, name, puts, step, moment, sizeBytes].map(String);
  const child = spawn(process.execPath, [WRITER, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  });
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, "close")]);
  const lines = output.trim().split("\n");
  const killed = lines.at(-1) !== "done";
  expect([code, signal]).toEqual(killed ? [null, "SIGKILL"] : [0, null]);
  return { ids: lines.slice(0, puts), killed };
}

/** How many of the artifacts that were begun are there; those are complete. */
async function countWhole(
  store: ArtifactStore,
  ids: readonly string[],
  body: Uint8Array,
): Promise<number> {
  let whole = 0;
  for (const id of ids) {
    const found = await store.stat(id, SCOPE);
    if (found === undefined) continue;
    expect(Buffer.compare(await store.read(found), body)).toBe(0);
    whole += 1;
  }
  return whole;
}

describe("writers that are killed at any step of a put", { timeout: 120_000 }, () => {
  it("leave 200 artifacts of the file store complete or absent, and nothing after a sweep", async () => {
    const body = patternBytes(150_000);
    const killedAt = async (puts: number, step: number, moment: Writer["moment"]) => {
      const directory = await makeDirectory();
      const writer = { kind: "file", place: directory, name: "fsync", puts, step, moment };
      const { ids, killed } = await runWriter({ ...writer, sizeBytes: body.length });
      const store = fileStore({ directory, now });
      const whole = await countWhole(store, ids, body);
      // What was cut off counts as such after a day of the file system's clock, its record one sweep later.
      const sweptAt = Math.max(Date.now(), EXPIRY_MS) + 2 * DAY_MS;
      expect(await store.sweep(sweptAt)).toHaveLength(whole);
      await store.sweep(sweptAt);
      expect(await readdir(directory)).toEqual([]);
      return { puts, killed, whole };
    };
    const limit = limitConcurrency(3);
    const alone = Array.from({ length: STEPS_OF_A_FILE }, (_, step) =>
      (["before", "after"] as const).map((moment) => limit(() => killedAt(1, step, moment))),
    );
    const together = Array.from({ length: 23 }, (_, index) =>
      limit(() => killedAt(8, Math.floor((index * 8 * 10) / 23), "after")),
    );
    const runs = await Promise.all([...alone.flat(), ...together]);
    const begun = runs.filter(({ killed }) => killed).reduce((sum, { puts }) => sum + puts, 0);
    expect(begun).toBeGreaterThanOrEqual(200);
    const kept = new Set(runs.filter(({ puts }) => puts === 1).map(({ whole }) => whole));
    expect(kept).toEqual(new Set([0, 1]));
  });

  it.skipIf(!postgres)("leave a transaction that PostgreSQL takes back", async () => {
    const table = `offload_test_${randomBytes(6).toString("hex")}`;
    const admin = new pg.Pool({ connectionString: PG_URL, max: 2 });
    const store = postgresStore({ pool: admin, table, now });
    await store.list(SCOPE);
    // The tables are there, which takes the first four statements to find out.
    const writer = {
      kind: "postgres",
      place: PG_URL,
      name: table,
      sizeBytes: 600_000,
      firstStep: 4,
    };
    await expectRounds(store, writer, async () => {
      const { rows } = await admin.query(
        `SELECT (SELECT count(*) FROM ${table}) + (SELECT count(*) FROM ${table}_chunk) AS count`,
      );
      return Number(rows[0]?.count);
    });
    await admin.query(`DROP TABLE ${table}_chunk, ${table}`);
    await admin.end();
  });

  it.skipIf(!redis)("leave nothing in Redis that a sweep does not find", async () => {
    const prefix = `test:${randomBytes(6).toString("hex")}`;
    const client = await createClient({ url: REDIS_URL }).connect();
    const store = redisStore({ client, prefix, now });
    const writer = {
      kind: "redis",
      place: REDIS_URL,
      name: prefix,
      sizeBytes: 2_500_000,
      firstStep: 0,
    };
    await expectRounds(store, writer, async () => (await client.keys(`{${prefix}}*`)).length);
    await client.close();
  });

  it("leave neither object nor upload in S3 after a sweep", async () => {
    const server = await startS3Double();
    const client = s3Client(server.port);
    const store = s3Store({ client, bucket: "test", now });
    const place = `http://127.0.0.1:${server.port}`;
    const writer = { kind: "s3", place, name: "offload", sizeBytes: 9_000_000, firstStep: 0 };
    await expectRounds(store, writer, async () => server.objects.size + server.uploads.size);
    client.destroy();
    await server.stop();
  });

  /** Kills a writer at each step, and past the last one, and sweeps after each. */
  async function expectRounds(
    store: ArtifactStore,
    {
      firstStep,
      ...writer
    }: Pick<Writer, "kind" | "place" | "name" | "sizeBytes"> & { readonly firstStep: number },
    left: () => Promise<number>,
  ): Promise<void> {
    const body = patternBytes(writer.sizeBytes);
    const counts: number[] = [];
    for (let step = firstStep; step < firstStep + 8; step += 1) {
      const moment = step % 2 === 0 ? "after" : "before";
      const { ids } = await runWriter({ ...writer, puts: 1, step, moment });
      counts.push(await countWhole(store, ids, body));
      // What the dead process sent last may still be on its way.
      await expect
        .poll(async () => {
          await store.sweep(EXPIRY_MS);
          return left();
        })
        .toBe(0);
    }
    expect(new Set(counts)).toEqual(new Set([0, 1]));
  }
});
