/** Runs SQL: one database, the outputs of one call, one query at a time. Ends with its parent. */
import { messageOf } from "../../../../util/error-message.js";
import {
  NO_RESULT,
  spent,
  type SqlAnswer,
  type SqlJob,
  type SqlQueryJob,
  type SqlResult,
} from "../request.js";
import { openDatabase, systemNames } from "./database.js";
import { readRows } from "./result.js";
import { prepareSelect, type SqlNames } from "./statement.js";
import { loadTables } from "./table.js";

const [maxMemoryMb = 0, maxResidentMb = 0] = process.argv.slice(-4).map(Number);
const folder = process.argv.at(-2) ?? "";
const MEBIBYTE = 1024 * 1024;
const WATCH_MS = 20;
const MAX_KEPT_SHARE = 1 / 2;
const OF_THE_PROCESS =
  /^(?:Failed to [a-z ]{1,40}: )?(?:FATAL|INTERNAL|IO|Permission|Connection|Transaction|TransactionContext) Error: /;
/** DuckDB's limit, or the system's. */
const OUT_OF_MEMORY = /^Out of Memory|bad_alloc|^Array buffer allocation/i;

const database = openDatabase(maxMemoryMb);
let loadedBytes = 0;
let nothing = NO_RESULT;
let names: SqlNames = { tables: new Set(), system: new Set() };

async function load(jobs: Parameters<typeof loadTables>[1]): Promise<SqlAnswer> {
  try {
    const connection = await (await database).connect();
    const tables = await loadTables(connection, jobs, folder, maxMemoryMb * MEBIBYTE);
    nothing = { ...NO_RESULT, tables };
    const own = tables.map(({ name }) => name.toLowerCase());
    names = { tables: new Set(own), system: await systemNames(connection) };
  } catch (error) {
    return spent({ error: messageOf(error) });
  }
  loadedBytes = process.memoryUsage.rss();
  return { result: nothing, isSpent: false };
}

async function query(job: SqlQueryJob): Promise<SqlAnswer> {
  const result = await resultOf(job);
  const keptBytes = process.memoryUsage.rss() - loadedBytes;
  const isSpent =
    result.outOfMemory ||
    keptBytes > maxMemoryMb * MEBIBYTE * MAX_KEPT_SHARE ||
    OF_THE_PROCESS.test(result.error ?? "");
  return { result, isSpent };
}

async function resultOf(job: SqlQueryJob): Promise<SqlResult> {
  const connection = await (await database).connect();
  try {
    // Next calls run the query again, and need the same random numbers.
    await connection.run("SELECT setseed(0.5)");
    const prepared = await prepareSelect(connection, job.query, names);
    try {
      return { ...nothing, ...(await readRows(await prepared.stream(), job)) };
    } finally {
      prepared.destroySync();
    }
  } catch (thrown) {
    const error = messageOf(thrown);
    const outOfMemory = OUT_OF_MEMORY.test(error);
    return outOfMemory ? { ...nothing, outOfMemory } : { ...nothing, error };
  } finally {
    connection.closeSync();
  }
}

function watchMemory(): NodeJS.Timeout {
  return setInterval(() => {
    if (process.memoryUsage.rss() < maxResidentMb * MEBIBYTE) return;
    process.send?.(spent({ outOfMemory: true }), () => process.kill(process.pid, "SIGKILL"));
  }, WATCH_MS);
}

process.on("message", (job: SqlJob) => {
  const watch = watchMemory();
  const answer = "load" in job ? load(job.load) : query(job);
  void answer.then((told) => process.send?.(told)).finally(() => clearInterval(watch));
});
// `load` reports it.
database.catch(() => undefined);
