/** Runs SQL: one database, the outputs of one call, one query at a time. Ends with its parent. */
import { openDatabase, systemNames } from "./database.js";
import {
  NO_RESULT,
  type SqlAnswer,
  type SqlLoadJob,
  type SqlLoadReply,
  type SqlOwnWords,
  type SqlQueryJob,
  type SqlResult,
} from "../request.js";
import { readRows } from "./result.js";
import { prepareSelect, type SqlNames } from "./statement.js";
import { loadTables } from "./table.js";

const [maxMemoryMb = 0, maxResidentMb = 0] = process.argv.slice(-4).map(Number);
const folder = process.argv.at(-2) ?? "";
const WATCH_MS = 20;
const MAX_KEPT_SHARE = 1 / 2;
const OF_THE_PROCESS =
  /^(?:Failed to [a-z ]{1,40}: )?(?:FATAL|INTERNAL|IO|Permission|Connection|Transaction|TransactionContext) Error: /;

const database = openDatabase(maxMemoryMb);
let loadedBytes = 0;
let nothing = NO_RESULT;
let names: SqlNames = { tables: new Set(), system: new Set() };

async function load(job: SqlLoadJob): Promise<SqlLoadReply> {
  const connection = database.then((instance) => instance.connect());
  const reply = await loadTables(connection, job, folder, maxMemoryMb);
  if (!reply.ok) return reply;
  loadedBytes = process.memoryUsage.rss();
  nothing = { ...NO_RESULT, tables: reply.tables };
  const own = reply.tables.map(({ name }) => name.toLowerCase());
  names = { tables: new Set(own), system: await systemNames(await connection) };
  return reply;
}

async function query(job: SqlQueryJob): Promise<SqlResult> {
  const connection = await (await database).connect();
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    connection.interrupt();
  }, job.softTimeoutMs);
  try {
    const { prepared, refusal } = await prepareSelect(connection, job.query, names);
    if (prepared === undefined) return { ...nothing, error: refusal };
    try {
      return { ...nothing, ...(await readRows(await prepared.stream(), job, () => timedOut)) };
    } finally {
      prepared.destroySync();
    }
  } catch (error) {
    if (timedOut) return { ...nothing, timedOut };
    const message = error instanceof Error ? error.message : String(error);
    // DuckDB's limit, or the system's.
    const outOfMemory = /^Out of Memory|bad_alloc|^Array buffer allocation/i.test(message);
    return outOfMemory ? { ...nothing, outOfMemory } : { ...nothing, error: message };
  } finally {
    clearTimeout(timer);
    connection.closeSync();
  }
}

async function examined(job: SqlQueryJob): Promise<SqlAnswer> {
  const result = await query(job);
  const keptBytes = process.memoryUsage.rss() - loadedBytes;
  const isSpent =
    result.outOfMemory ||
    keptBytes > maxMemoryMb * 1024 * 1024 * MAX_KEPT_SHARE ||
    OF_THE_PROCESS.test(result.error ?? "");
  return { result, isSpent };
}

function watchMemory(): NodeJS.Timeout {
  return setInterval(() => {
    if (process.memoryUsage.rss() < maxResidentMb * 1024 * 1024) return;
    const words: SqlOwnWords = { lastWords: "out-of-memory" };
    process.send?.(words, () => process.kill(process.pid, "SIGKILL"));
  }, WATCH_MS);
}

async function handle(job: SqlLoadJob | SqlQueryJob): Promise<void> {
  process.send?.(job.kind === "load" ? await load(job) : await examined(job));
}

process.on("message", (job: SqlLoadJob | SqlQueryJob) => {
  const watch = watchMemory();
  void handle(job).finally(() => clearInterval(watch));
});
// `load` reports it.
database.catch(() => undefined);
