import { constants, closeSync, fstatSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { DuckDBConnection } from "@duckdb/node-api";

import { CSV_FORMAT } from "../../../content/table/rows.js";
import { identifyContent } from "../../../content/identify.js";
import { type ByteReader, openSource } from "../../readers/byte-reader.js";
import { createRowsReader } from "../../readers/rows-reader.js";
import { createTextLinesReader } from "../../readers/text-lines-reader.js";
import { createTables, type TableFile } from "./database.js";
import type { SqlLoadJob, SqlLoadReply, SqlTableJob } from "../request.js";
import { tableOfSet } from "../table-names.js";
import { type Content, documentSets } from "../../../types/content.js";
import { type ScannedRecords, scanRecords } from "./scan.js";
import { bytesOf, partsOf, type TablePart } from "./sets.js";

const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;

/** A table takes about as much memory as its file, and queries need some beside it. */
const MAX_TABLE_SHARE = 1 / 3;
/** A line, or a document that is split into records here, may take this share of the memory. */
const MAX_LINE_SHARE = 1 / 8;
const MEBIBYTE = 1024 * 1024;
/** Rows name every cell: lines made of hostile ones could fill the disk. */
const MAX_GROWTH = 10;
const MIN_LINES_BYTES = 64 * MEBIBYTE;

/** Records one a line, in an open file. */
interface RecordsFile extends ScannedRecords {
  readonly file: number;
  readonly path: string;
  readonly header: boolean;
}

/**
 * Makes the tables of the outputs that this process sees. On Linux they are made from the open files, so
 * that those of our own are gone from their folder at once.
 */
export async function loadTables(
  database: Promise<DuckDBConnection>,
  { tables, folder }: SqlLoadJob,
  maxMemoryMb: number,
): Promise<SqlLoadReply> {
  let table = "";
  try {
    const files: (TableFile & { readonly file: number })[] = [];
    const isLinux = process.platform === "linux";
    let memoryBytes = maxMemoryMb * MEBIBYTE * MAX_TABLE_SHARE;
    const maxLineBytes = maxMemoryMb * MEBIBYTE * MAX_LINE_SHARE;
    for (const job of tables) {
      [table = ""] = job.names;
      for (const part of await partsOfJob(job, maxLineBytes)) {
        const ownPath = join(folder, `records-${files.length}.jsonl`);
        const records = recordsFile(part, ownPath, maxLineBytes);
        const { file, path } = records;
        const { size } = fstatSync(file);
        const inMemory = size <= memoryBytes;
        if (inMemory) memoryBytes -= size;
        const names = part.table === undefined ? job.names : namesOfSet(job.names, part.table);
        files.push({ ...records, names, inMemory, path: isLinux ? `/proc/self/fd/${file}` : path });
      }
    }
    table = "";
    // Before DuckDB is told the paths: it resolves that of a file that is gone in another way.
    if (isLinux) rmSync(folder, { recursive: true, force: true });
    const kept = await createTables(await database, files);
    // Closed when all are open, so that no other file gets the number of one that may be read.
    for (const [index, { file }] of files.entries()) if (kept[index] || !isLinux) closeSync(file);
    if (kept.every(Boolean)) rmSync(folder, { recursive: true, force: true });
    return {
      ok: true,
      tables: files.flatMap(({ names, columns: made }) => {
        const columns = made.map(({ name, type }) => ({ name, type }));
        return names.map((name) => ({ name, columns }));
      }),
    };
  } catch (error) {
    return { ok: false, table, message: error instanceof Error ? error.message : String(error) };
  }
}

/** What becomes one table. */
interface TableSource {
  /** Of one of several sets. */
  readonly table?: string;
  /** A file of records that DuckDB may read as it is. */
  readonly stored?: SqlTableJob["source"];
  readonly open: () => ByteReader;
  readonly cells: boolean;
  /** Largest file of lines that is made of it. */
  readonly maxBytes: number;
}

function namesOfSet(names: readonly string[], table: string): readonly string[] {
  return names.map((name) => tableOfSet(name, table));
}

/** One table, or one for each set of a document that has several. */
async function partsOfJob(
  { source, layout, rowFormat, sets }: SqlTableJob,
  maxLineBytes: number,
): Promise<readonly TableSource[]> {
  const maxBytes = Math.max(MIN_LINES_BYTES, MAX_GROWTH * source.end);
  const plain = { cells: false, maxBytes };
  if (layout === "records") return [{ ...plain, stored: source, open: () => openSource(source) }];
  if (layout === "rows") {
    const open = (): ByteReader => createRowsReader(openSource(source), rowFormat ?? CSV_FORMAT);
    return [{ open, cells: true, maxBytes }];
  }
  if (layout === "text") {
    const options = { maxLineBytes, numbered: true };
    return [{ ...plain, open: () => createTextLinesReader(openSource(source), options) }];
  }
  const bytes = source.end - source.start;
  if (sets?.every(({ lines }) => lines !== undefined) === true)
    return ofSets(partsOf(source, bytes, sets, maxLineBytes));
  const found = await identified(source, maxLineBytes);
  const places = found && documentSets(found);
  if (found !== undefined && places !== undefined)
    return ofSets(partsOf({ bytes: found.body }, found.body.length, places, maxLineBytes));
  if (found?.layout !== "records") throw new Error("It is one JSON document without records.");
  return [{ ...plain, open: () => openSource({ bytes: found.body }) }];

  function ofSets(parts: readonly TablePart[]): readonly TableSource[] {
    return parts.map((part) => ({ ...plain, ...part }));
  }
}

/** The records as DuckDB can read them: the stored file itself, or lines made from it in a file of our own. */
function recordsFile(part: TableSource, ownPath: string, maxLineBytes: number): RecordsFile {
  const { stored } = part;
  let namesEmpty = false;
  if (stored !== undefined) {
    const scanned = scan(part.open(), { maxLineBytes, cells: false });
    if (scanned.isClean) {
      const file = openSync(stored.path, READ);
      if (fstatSync(file).size !== stored.end)
        throw new Error("the file is not the one that was stored");
      return { ...scanned, path: stored.path, file, header: stored.start > 0 };
    }
    namesEmpty = scanned.hasEmptyName;
  }
  const own = ownFile(part, ownPath, { maxLineBytes, namesEmpty });
  if (!own.hasEmptyName || namesEmpty) return own;
  closeSync(own.file);
  rmSync(ownPath);
  return ownFile(part, ownPath, { maxLineBytes, namesEmpty: true });
}

/** Writes the records as lines to a file of our own. */
function ownFile(
  { open, cells, maxBytes }: TableSource,
  path: string,
  options: { readonly maxLineBytes: number; readonly namesEmpty: boolean },
): RecordsFile {
  const reader = open();
  const file = openSync(path, CREATE, 0o600);
  let left = maxBytes;
  const write = (text: string): void => {
    left -= Buffer.byteLength(text);
    if (left < 0) throw new Error("the table would be too large");
    writeFileSync(file, text);
  };
  const scanned = scan(reader, { ...options, cells, write });
  return { ...scanned, path, file, header: false };
}

function scan(reader: ByteReader, options: Parameters<typeof scanRecords>[1]): ScannedRecords {
  try {
    return scanRecords(reader, options);
  } finally {
    reader.close();
  }
}

/** What a document holds; `undefined` when it is too large to be split in memory. */
async function identified(
  source: SqlTableJob["source"],
  maxBytes: number,
): Promise<Content | undefined> {
  if (source.end - source.start > maxBytes) return undefined;
  return await identifyContent(bytesOf(source).toString("utf8"));
}
