import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { postgresStore } from "../../../src/stores/postgres/index.js";
import {
  CONTRACT_START_MS,
  contractArtifact,
  patternBytes,
} from "../../../src/testing/store-contract/contract-artifact.js";
import { storeContract } from "../../../src/testing/store-contract/store-contract.js";
import { PG_URL, postgresAnswers } from "../../core/store/servers.js";

const available = await postgresAnswers();
const admin = new pg.Pool({ connectionString: PG_URL, allowExitOnIdle: true });
const pools: pg.Pool[] = [admin];
const now = (): number => CONTRACT_START_MS;

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
});

const newTable = (): string => `offload_test_${randomBytes(6).toString("hex")}`;

function newPool(more: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: PG_URL, max: 4, ...more });
  pool.on("error", () => undefined);
  pools.push(pool);
  return pool;
}

const drop = async (table: string) =>
  void (await admin.query(`DROP TABLE IF EXISTS ${table}_chunk, ${table}`));

async function rowsIn(table: string): Promise<number> {
  const ids = `SELECT id FROM ${table} UNION ALL SELECT id FROM ${table}_chunk`;
  return (await admin.query(ids)).rows.length;
}

const shared = newPool();

storeContract(
  "postgres",
  async (clock) => {
    const table = newTable();
    const store = postgresStore({ pool: shared, table, now: clock.now });
    return { store, cleanup: () => drop(table) };
  },
  { describe, it: it.skipIf(!available), expect },
);

describe.skipIf(!available)("postgres store", () => {
  let table = "";
  beforeEach(() => {
    table = newTable();
  });
  afterEach(() => drop(table));

  it("keeps an artifact in a schema of its own", async () => {
    const schema = newTable();
    await admin.query(`CREATE SCHEMA ${schema}`);
    const store = postgresStore({ pool: shared, table: `${schema}.output`, now });
    expect((await store.list("0".repeat(64))).artifacts).toEqual([]);
    expect(await rowsIn(`${schema}.output`)).toBe(0);
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
  });

  it("creates its tables once when many begin at the same moment", async () => {
    const stores = Array.from({ length: 8 }, () => postgresStore({ pool: newPool(), table, now }));
    const stored = await Promise.all(
      stores.map((store) => store.put(contractArtifact(1), [Uint8Array.of(1)])),
    );
    expect((await stores[0]?.list(stored[0]?.sessionKey ?? ""))?.artifacts).toHaveLength(8);
  });

  it("leaves nothing of a put whose connection is lost, and works again after it", async () => {
    const store = postgresStore({ pool: newPool(), table, now });
    await store.list(contractArtifact(0).sessionKey);
    // More than one statement carries.
    const body = patternBytes(3_000_000);
    async function* cutOff(): AsyncGenerator<Uint8Array> {
      yield body.slice(0, 1_600_000);
      await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE pid <> pg_backend_pid() AND query LIKE '%' || $1 || '%'`,
        [table],
      );
      yield body.slice(1_600_000);
    }
    const artifact = contractArtifact(body.length);
    await expect(store.put(artifact, cutOff())).rejects.toMatchObject({
      code: "STORE_WRITE_FAILED",
    });
    expect(await rowsIn(table)).toBe(0);
    const stored = await store.put(artifact, [body]);
    expect(Buffer.compare(await store.read(stored), body)).toBe(0);
  });

  it.each([
    ["both tables", (table: string) => `DROP TABLE ${table}_chunk, ${table}`],
    ["the bodies' table", (table: string) => `DROP TABLE ${table}_chunk`],
    ["the artifacts' table", (table: string) => `DROP TABLE ${table} CASCADE`],
  ])("has its tables again after somebody has dropped %s (D11)", async (_, dropping) => {
    const pool = newPool();
    const store = postgresStore({ pool, table, now });
    for (const use of [
      () => store.put(contractArtifact(3), [patternBytes(3)]),
      () => store.list(contractArtifact(1).sessionKey),
      () => store.sweep(CONTRACT_START_MS),
    ]) {
      await store.put(contractArtifact(3), [patternBytes(3)]);
      await pool.query(dropping(table));
      await Promise.resolve(use()).catch(() => undefined);
      // Without the bodies' table alone, a put learns of it when its body is half taken; the next one finds it.
      await store.put(contractArtifact(1), [patternBytes(1)]).catch(() => undefined);
      const stored = await store.put(contractArtifact(5), [patternBytes(5)]);
      expect(await store.read(stored, { start: 1, end: 3 })).toEqual(patternBytes(5).slice(1, 3));
      await store.delete(stored.id, stored.sessionKey);
      const left = `SELECT id FROM ${table}_chunk WHERE id = $1`;
      expect((await pool.query(left, [stored.id])).rows).toEqual([]);
    }
  });

  it("fails nothing that another is in the way of where the default isolation is serializable", async () => {
    const options = "-c default_transaction_isolation=serializable";
    const strict = newPool({ max: 12, options });
    const at = { now: 0 };
    const store = postgresStore({ pool: strict, table, now: () => at.now });
    const body = Buffer.alloc(2_000_000, "a\n");
    const put = async (expiresAt: number, of = Buffer.from("{}\n")) =>
      await store.put(contractArtifact(of.length, { createdAt: 0, expiresAt }), [of]);
    const stored = await Promise.all(Array.from({ length: 40 }, () => put(1_000)));
    at.now = 500;
    const done = await Promise.allSettled([
      ...stored.flatMap(({ id, sessionKey }, index) => [
        store.refresh?.(id, sessionKey, 2_000 + index),
        store.delete(id, sessionKey),
        store.refresh?.(id, sessionKey, 3_000 + index),
      ]),
      ...[1_000, 2_010, 5_000].flatMap((nowMs) => [store.sweep(nowMs), store.sweep(nowMs)]),
      put(9_000, body),
      put(9_000, body),
    ]);
    const faults = done.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
    expect(faults).toEqual([]);
  });
});
