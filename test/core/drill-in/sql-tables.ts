import { randomUUID } from "node:crypto";

import { createJqEngine, type JqEngine } from "../../../src/core/engines/jq/engine.js";
import { DEFAULT_DRILL_IN_LIMITS, type DrillInLimits } from "../../../src/core/engines/limits.js";
import { createSqlEngine } from "../../../src/core/engines/sql/engine.js";
import type { SqlEngine, SqlResult, SqlTable } from "../../../src/core/engines/sql/request.js";
import { afterFile } from "../../after-file.js";

/** Starting a process takes seconds on a machine that is busy with other tests. */
const LIMITS: DrillInLimits = {
  ...DEFAULT_DRILL_IN_LIMITS,
  timeoutMs: 120_000,
  maxQueueMs: 120_000,
};

export function startEngine(
  limits: Partial<DrillInLimits> = {},
  options: Parameters<typeof createSqlEngine>[1] = {},
): SqlEngine {
  return createSqlEngine({ ...LIMITS, ...limits }, options);
}

let started: { readonly jq: JqEngine; readonly sql: SqlEngine } | undefined;

/** Both engines, the same until the file's last test. */
export function engines(): { readonly jq: JqEngine; readonly sql: SqlEngine } {
  if (started !== undefined) return started;
  const limits = { ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: 25_000, maxQueueMs: 25_000 };
  const { jq, sql } = (started = { jq: createJqEngine(limits), sql: startEngine() });
  afterFile(async () => {
    started = undefined;
    await Promise.all([jq.close(), sql.close()]);
  });
  return started;
}

/** A table of a body that a store without files hands over. */
export function tableOf(text: string | Uint8Array, fields: Partial<SqlTable> = {}): SqlTable {
  const source = { bytes: Buffer.from(text) };
  return {
    name: "output",
    key: randomUUID(),
    layout: "records",
    withSource: (use) => use(source),
    ...fields,
  };
}

/** One JSON value a line. */
export function recordsTable(
  records: readonly unknown[],
  fields: Partial<SqlTable> = {},
): SqlTable {
  return tableOf(records.map((record) => `${JSON.stringify(record)}\n`).join(""), fields);
}

export function run(
  engine: SqlEngine,
  tables: SqlTable | readonly SqlTable[],
  query: string,
): Promise<SqlResult> {
  return engine.run({ tables: [tables].flat(), query, maxOutputBytes: 100_000 });
}

/** The rows of a query that must succeed. */
export async function rows(
  engine: SqlEngine,
  tables: SqlTable | readonly SqlTable[],
  query: string,
): Promise<readonly string[]> {
  const result = await run(engine, tables, query);
  if (result.error !== undefined) throw new Error(result.error);
  if (result.timedOut || result.outOfMemory) throw new Error("not in bounds");
  return result.rows;
}
