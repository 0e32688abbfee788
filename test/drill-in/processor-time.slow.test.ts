import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createGrepEngine } from "../../src/drill-in/grep/engine.js";
import { createJqEngine } from "../../src/drill-in/jq/engine.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../src/drill-in/shared/limits.js";
import { recordsTable, run, startEngine } from "./sql-tables.js";

const isTold = process.platform === "linux";
const RANGE = 3_000_000;
const source = { bytes: Buffer.from("1\n") };
const request = { source, layout: "records", maxOutputBytes: 10_000 } as const;

/** Threads that leave an engine a half of a processor at most. */
let burning: Worker[] = [];

function burn(): void {
  burning = Array.from(
    { length: availableParallelism() },
    () => new Worker("for (;;);", { eval: true }),
  );
}

async function cool(): Promise<void> {
  await Promise.all(burning.splice(0).map((worker) => worker.terminate()));
}

/** More than what a run needs of the processor: what it takes while nothing burns here, and a half. */
async function neededMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return 1.5 * (performance.now() - startedAt) + 300;
}

afterAll(cool);

describe.runIf(isTold)("on a busy machine", () => {
  const count = { ...request, filter: `last(range(${RANGE}))` };
  const query = "SELECT sum(hash(range) % 7) AS s FROM range(30000000)";
  const table = recordsTable([{ a: 1 }]);
  const jq = createJqEngine(DEFAULT_DRILL_IN_LIMITS);
  const grep = createGrepEngine(DEFAULT_DRILL_IN_LIMITS);
  let sql = startEngine();
  let jqMs = 0;
  afterAll(() => Promise.all([jq.close(), grep.close(), sql.close()]));

  beforeAll(async () => {
    await jq.run(count);
    jqMs = await neededMs(() => jq.run(count));
    while ((await run(sql, table, "SELECT 1")).loading);
    const sqlMs = await neededMs(() => run(sql, table, query));
    await sql.close();
    sql = startEngine({ timeoutMs: sqlMs });
    while ((await run(sql, table, "SELECT 1")).loading);
    burn();
  });

  it("a jq filter that needs less than its limit is not stopped", async () => {
    const result = await jq.run({ ...count, timeoutMs: jqMs });
    expect(result).toMatchObject({ output: String(RANGE - 1), timedOut: false });
  });

  it("a SQL query that needs less than its limit is not stopped", async () => {
    expect(await run(sql, table, query)).toMatchObject({ timedOut: false, error: undefined });
  });

  it.each(["last(range(1e12))", "until(false; .)", "[range(1e12)] | length"])(
    "%s is stopped",
    async (filter) => {
      const { timedOut, outOfMemory, time } = await jq.run({ ...request, filter, timeoutMs: 400 });
      expect(timedOut || outOfMemory).toBe(true);
      if (timedOut) expect(time?.processorMs).toBeGreaterThan(0);
    },
  );

  it("a query without an end is stopped", async () => {
    const endless = startEngine({ timeoutMs: 500 });
    while ((await run(endless, table, "SELECT 1")).loading);
    const result = await run(endless, table, "SELECT count(*) FROM range(1000000000000)");
    expect(result).toMatchObject({ timedOut: true });
    expect(result.time?.processorMs).toBeGreaterThan(0);
    await endless.close();
  });

  it("a pattern that takes long is stopped, and says how far it has come", async () => {
    const bytes = Buffer.from(`${"ab ".repeat(30)}\n`.repeat(600_000));
    const { timedOut, time, error } = await grep.run({
      source: { bytes },
      pattern: "(a|b| )*(b|a| ){20,60}[a-c ]+$",
      maxOutputBytes: 1000,
      timeoutMs: 300,
    });
    expect([timedOut, error]).toEqual([true, undefined]);
    expect(time?.processorMs).toBeGreaterThan(0);
    expect(time?.readBytes).toBeGreaterThan(0);
    expect(time?.readBytes).toBeLessThan(bytes.length);
  });
});
