/**
 * The process in which SQL runs: one database, the outputs of one call, one query at a time. It has nothing of its
 * parent but this channel, and ends with it.
 */
import { rmSync } from "node:fs";

import type { DuckDBConnection } from "@duckdb/node-api";

import { openDatabase } from "./sql-database.js";
import {
  EMPTY_REPLY,
  type SqlLastWords,
  type SqlLoadJob,
  type SqlLoadReply,
  type SqlQueryJob,
  type SqlReply,
} from "./sql-job.js";
import { readRows } from "./sql-result.js";
import { prepareSelect } from "./sql-statement.js";
import { loadTables } from "./sql-table.js";

const [maxMemoryMb = 0, maxResidentMb = 0] = process.argv.slice(2).map(Number);
const WATCH_MS = 20;

/** Of files of our own. */
let folder: string | undefined;
const database = openDatabase(maxMemoryMb);

function load(job: SqlLoadJob): Promise<SqlLoadReply> {
  folder = job.folder;
  return loadTables(database, job, maxMemoryMb);
}

async function query(job: SqlQueryJob): Promise<SqlReply> {
  const connection = await database;
  const timer = setTimeout(() => connection.interrupt(), job.softTimeoutMs);
  try {
    return await answer(connection, job);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (message.startsWith("INTERRUPT")) return { ...EMPTY_REPLY, timedOut: true };
    // DuckDB's own limit, or the system's.
    const outOfMemory = /^Out of Memory|bad_alloc|^Array buffer allocation/i.test(message);
    return outOfMemory ? { ...EMPTY_REPLY, outOfMemory } : { ...EMPTY_REPLY, error: message };
  } finally {
    clearTimeout(timer);
  }
}

async function answer(connection: DuckDBConnection, job: SqlQueryJob): Promise<SqlReply> {
  const { prepared, refusal } = await prepareSelect(connection, job.query);
  if (prepared === undefined) return { ...EMPTY_REPLY, error: refusal };
  try {
    return { ...EMPTY_REPLY, ...(await readRows(await prepared.stream(), job.maxOutputBytes)) };
  } finally {
    prepared.destroySync();
  }
}

function end(): void {
  // What runs in native code would be waited for by an orderly exit.
  process.kill(process.pid, "SIGKILL");
}

/** Some functions of DuckDB take memory that its own limit does not count. */
function watchMemory(): NodeJS.Timeout {
  return setInterval(() => {
    if (process.memoryUsage.rss() < maxResidentMb * 1024 * 1024) return;
    const lastWords: SqlLastWords = { lastWords: "out-of-memory" };
    process.send?.(lastWords, undefined, undefined, end);
  }, WATCH_MS);
}

async function handle(job: SqlLoadJob | SqlQueryJob): Promise<void> {
  process.send?.(job.kind === "load" ? await load(job) : await query(job));
}

process.on("message", (job: SqlLoadJob | SqlQueryJob) => {
  const watch = watchMemory();
  void handle(job).finally(() => clearInterval(watch));
});
process.on("disconnect", () => {
  // Nobody else is there any more to remove it.
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  end();
});
