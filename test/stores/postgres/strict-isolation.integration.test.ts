import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";

import { postgresStore } from "../../../src/stores/postgres/index.js";
import { contractArtifact } from "../../../src/testing/store-contract/contract-artifact.js";
import { PG_URL, postgresAnswers } from "../../core/store/servers.js";

const available = await postgresAnswers();
const table = `offload_test_${randomBytes(6).toString("hex")}`;
const strict = new pg.Pool({
  connectionString: PG_URL,
  max: 12,
  options: "-c default_transaction_isolation=serializable",
});

afterAll(async () => {
  await strict.query(`DROP TABLE IF EXISTS ${table}_chunk, ${table}`);
  await strict.end();
});

describe.runIf(available)("a database whose default isolation is serializable", () => {
  it("fails no sweep, deletion, prolonging or storing that another is in the way of", async () => {
    const at = { now: 0 };
    const store = postgresStore({ pool: strict, table, now: () => at.now });
    const body = Buffer.alloc(2_000_000, "a\n");
    const stored = await Promise.all(Array.from({ length: 40 }, async () => await put(1_000)));
    at.now = 500;

    async function put(expiresAt: number, of = Buffer.from("{}\n")) {
      const artifact = contractArtifact(of.length, { createdAt: 0, expiresAt });
      return await store.put(artifact, [of]);
    }

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
