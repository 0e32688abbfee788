/** The first worker offloads 20,000 orders and ends; the second resumes the thread and adds them up. */
import { deepStrictEqual, ok } from "node:assert";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import pg from "pg";

import { startEmbeddedPostgres } from "./embedded-postgres.js";
import { orders } from "./orders.js";

const given = process.env["DATABASE_URL"];
const embedded = given === undefined ? await startEmbeddedPostgres() : undefined;
const url = given ?? embedded?.url ?? "";
console.log(embedded ? "PostgreSQL: embedded" : "PostgreSQL: DATABASE_URL");

async function onDatabase(statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

async function askWorker(question: string): Promise<string> {
  const worker = fileURLToPath(new URL("worker.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", worker, question],
    { env: { ...process.env, DATABASE_URL: url } },
  );
  console.log(`${question} ${stdout.trim()}`);
  return stdout.trim();
}

await onDatabase("CREATE SCHEMA IF NOT EXISTS two_workers");
try {
  await askWorker("Get the orders.");
  const { rows } = await onDatabase(
    "SELECT count(*)::int AS count FROM two_workers.offloaded_output",
  );
  deepStrictEqual(rows, [{ count: 1 }]);
  const answer = JSON.parse(await askWorker("How much by country?"));
  const expected: Record<string, number> = {};
  for (const { country, cents } of orders) expected[country] = (expected[country] ?? 0) + cents;
  deepStrictEqual(answer, expected);
  const after = await onDatabase("SELECT count(*)::int AS count FROM two_workers.offloaded_output");
  ok(after.rows[0].count === 1, "the second worker stored nothing");
} finally {
  await onDatabase("DROP SCHEMA two_workers CASCADE");
  await embedded?.close();
}
