import { randomBytes } from "node:crypto";
import { PGlite } from "@electric-sql/pglite";
import { afterAll, describe, expect, it } from "vitest";
import { postgresStore } from "../../src/store/postgres/index.js";
import { storeContract } from "../../src/testing/store-contract/store-contract.js";
import { pglitePool } from "./pglite-pool.js";

// PostgreSQL in this process: the same SQL is tested on a machine without a server.
const database = await PGlite.create();
const pool = pglitePool(database);

afterAll(() => database.close());

storeContract(
  "postgres, embedded",
  async ({ now }) => {
    const table = `offload_test_${randomBytes(6).toString("hex")}`;
    return {
      store: postgresStore({ pool, table, now }),
      cleanup: async () =>
        void (await database.exec(`DROP TABLE IF EXISTS ${table}_chunk, ${table}`)),
      rewriteRecord: async ({ id }, change) => {
        const { rows } = await database.query<{ record: string }>(
          `SELECT record FROM ${table} WHERE id = $1`,
          [id],
        );
        const text = change(rows[0]?.record ?? "");
        await database.query(`UPDATE ${table} SET record = $2 WHERE id = $1`, [id, text]);
      },
      failWrites: async () => {
        await database.exec(`CREATE VIEW ${table} AS SELECT 1 AS id`);
        return async () => void (await database.exec(`DROP VIEW ${table}`));
      },
    };
  },
  { describe, it, expect },
);

describe("postgres store, embedded", () => {
  it("keeps an artifact in a schema of its own", async () => {
    await database.exec("CREATE SCHEMA agents");
    const store = postgresStore({ pool, table: "agents.output" });
    expect((await store.list("0".repeat(64))).artifacts).toEqual([]);
    const { rows } = await database.query(
      "SELECT to_regclass('agents.output_chunk')::text AS found",
    );
    expect(rows).toEqual([{ found: "agents.output_chunk" }]);
  });
});
