import { constants, closeSync, fstatSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { DuckDBConnection } from "@duckdb/node-api";

import { identifyContent } from "../../../content/identify.js";
import type { DataSource } from "../../data-source.js";
import { type ByteReader, openSource, wholeOf } from "../../readers/byte-reader.js";
import { openLines } from "../../readers/record-readers.js";
import { createTables, type TableFile } from "./database.js";
import type { SqlLoadJob, SqlLoadReply, SqlTableJob } from "../request.js";
import { tableOfSet } from "../table-names.js";
import { type Content, documentSets, type SetPlace } from "../../../types/content.js";
import { type ScannedRecords, scanRecords } from "./scan.js";

const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;

const MAX_TABLE_SHARE = 1 / 3;
const MAX_LINE_SHARE = 1 / 8;
const MEBIBYTE = 1024 * 1024;
const MAX_GROWTH = 10;
const MIN_LINES_BYTES = 64 * MEBIBYTE;
const DOCUMENT = { layout: "document" } as const;

interface RecordsFile extends ScannedRecords {
  readonly file: number;
  readonly path: string;
  readonly header: boolean;
}

interface TableSource {
  readonly table?: string;
  readonly stored?: SqlTableJob["source"];
  readonly open: () => ByteReader;
  readonly cells?: boolean;
}

/** On Linux, files are read by descriptor, so that our own can be removed at once. */
export async function loadTables(
  database: Promise<DuckDBConnection>,
  { tables }: SqlLoadJob,
  folder: string,
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
      const maxBytes = Math.max(MIN_LINES_BYTES, MAX_GROWTH * job.source.end);
      for (const part of await partsOfJob(job, maxLineBytes)) {
        const ownPath = join(folder, `records-${files.length}.jsonl`);
        const records = recordsFile(part, ownPath, { maxLineBytes, maxBytes });
        const { file, path } = records;
        const { size } = fstatSync(file);
        const inMemory = size <= memoryBytes;
        if (inMemory) memoryBytes -= size;
        const ofSet = part.table;
        const names = ofSet ? job.names.map((name) => tableOfSet(name, ofSet)) : job.names;
        files.push({ ...records, names, inMemory, path: isLinux ? `/proc/self/fd/${file}` : path });
      }
    }
    table = "";
    // DuckDB resolves paths of deleted files differently.
    if (isLinux) rmSync(folder, { recursive: true, force: true });
    const kept = await createTables(await database, files);
    // Closed together, so that no other file gets the number of a readable one.
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

async function partsOfJob(
  { source, sets, ...form }: SqlTableJob,
  maxLineBytes: number,
): Promise<readonly TableSource[]> {
  const { layout } = form;
  if (layout !== "document")
    return [
      {
        ...(layout === "records" && { stored: source }),
        cells: layout === "rows",
        open: () => linesOf(source, form, undefined, { maxLineBytes, numbered: true }),
      },
    ];
  if (sets?.every(({ lines }) => lines !== undefined) === true)
    return tablesOfSets(source, sets, maxLineBytes);
  const found = await identified(source, maxLineBytes);
  const body = { bytes: found?.body ?? new Uint8Array() };
  const places = found && documentSets(found);
  if (places !== undefined) return tablesOfSets(body, places, maxLineBytes);
  if (found?.layout !== "records") throw new Error("It is one JSON document without records.");
  return [{ open: () => openSource(body) }];
}

function tablesOfSets(
  source: DataSource,
  sets: readonly SetPlace[],
  maxLineBytes: number,
): readonly TableSource[] {
  return sets.flatMap(({ table, lines, isMap }) =>
    lines === undefined
      ? []
      : {
          table,
          open: () =>
            linesOf(source, DOCUMENT, { ...lines, isMap: isMap === true }, { maxLineBytes }),
        },
  );
}

function linesOf(...body: Parameters<typeof openLines>): ByteReader {
  return openLines(...body) ?? openSource(body[0]);
}

interface LineBounds {
  readonly maxLineBytes: number;
  readonly maxBytes: number;
}

function recordsFile(
  { stored, open, cells = false }: TableSource,
  ownPath: string,
  { maxLineBytes, maxBytes }: LineBounds,
): RecordsFile {
  if (stored !== undefined) {
    const scanned = scan(open(), { maxLineBytes, cells });
    if (scanned.isClean) {
      const file = openSync(stored.path, READ);
      if (fstatSync(file).size !== stored.end)
        throw new Error("the file is not the one that was stored");
      return { ...scanned, path: stored.path, file, header: stored.start > 0 };
    }
  }
  const reader = open();
  const file = openSync(ownPath, CREATE, 0o600);
  let left = maxBytes;
  const write = (text: string): void => {
    left -= Buffer.byteLength(text);
    if (left < 0) throw new Error("the table would be too large");
    writeFileSync(file, text);
  };
  const scanned = scan(reader, { maxLineBytes, cells, write });
  return { ...scanned, path: ownPath, file, header: false };
}

function scan(reader: ByteReader, options: Parameters<typeof scanRecords>[1]): ScannedRecords {
  try {
    return scanRecords(reader, options);
  } finally {
    reader.close();
  }
}

/** `undefined` if it is too large. */
async function identified(
  source: SqlTableJob["source"],
  maxBytes: number,
): Promise<Content | undefined> {
  if (source.end - source.start > maxBytes) return undefined;
  const reader = openSource(source);
  try {
    return await identifyContent(wholeOf(reader).toString("utf8"));
  } finally {
    reader.close();
  }
}
