import { constants, closeSync, fstatSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { DuckDBConnection } from "@duckdb/node-api";

import { identifyContent } from "../../../content/identify.js";
import type { DataSource, FileSource } from "../../data-source.js";
import { type ByteReader, openSource, openStored, wholeOf } from "../../readers/byte-reader.js";
import { openLines } from "../../readers/record-readers.js";
import { createTables, type TableFile } from "./database.js";
import type { SqlResult, SqlTableJob } from "../request.js";
import { tableOfSet } from "../table-names.js";
import { type Content, documentSets, type SetPlace } from "../../../types/content.js";
import { scanRecords } from "./scan.js";

const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;

const MAX_TABLE_SHARE = 1 / 3;
const MAX_LINE_SHARE = 1 / 8;
const MAX_GROWTH = 10;
const MIN_LINES_BYTES = 64 * 1024 * 1024;
const DOCUMENT = { layout: "document" } as const;

interface TableSource {
  readonly name: string;
  /** Records as they are stored, which DuckDB may read itself. */
  readonly stored?: FileSource;
  readonly open: () => ByteReader;
  readonly cells?: boolean;
}

/**
 * On Linux, files are read by descriptor, so that our own can be removed at once.
 *
 * @throws Error of the first output that cannot be read.
 */
export async function loadTables(
  connection: DuckDBConnection,
  jobs: readonly SqlTableJob[],
  folder: string,
  maxMemoryBytes: number,
): Promise<SqlResult["tables"]> {
  const files: TableFile[] = [];
  const isLinux = process.platform === "linux";
  const maxLineBytes = maxMemoryBytes * MAX_LINE_SHARE;
  let memoryBytes = maxMemoryBytes * MAX_TABLE_SHARE;
  for (const job of jobs) {
    const maxBytes = Math.max(MIN_LINES_BYTES, MAX_GROWTH * job.source.end);
    for (const part of await sourcesOf(job, maxLineBytes)) {
      const ownPath = join(folder, `records-${files.length}.jsonl`);
      const opened = openTable(part, ownPath, maxLineBytes, maxBytes);
      const { file, path } = opened;
      const { size } = fstatSync(file);
      const inMemory = size <= memoryBytes;
      if (inMemory) memoryBytes -= size;
      files.push({ ...opened, inMemory, path: isLinux ? `/proc/self/fd/${file}` : path });
    }
  }
  // DuckDB resolves paths of deleted files differently.
  if (isLinux) rmSync(folder, { recursive: true, force: true });
  const kept = await createTables(connection, files);
  // Closed together, so that no other file gets the number of a readable one.
  for (const [index, { file }] of files.entries()) if (kept[index] || !isLinux) closeSync(file);
  if (kept.every(Boolean)) rmSync(folder, { recursive: true, force: true });
  return files.map(({ name, columns }) => ({ name, columns }));
}

async function sourcesOf(
  { name, source, sets, ...form }: SqlTableJob,
  maxLineBytes: number,
): Promise<readonly TableSource[]> {
  const { layout } = form;
  if (layout !== "document")
    return [
      {
        name,
        ...(layout === "records" && { stored: source }),
        cells: layout === "rows",
        open: () => linesOf(source, form, undefined, { maxLineBytes, numbered: true }),
      },
    ];
  if (sets?.every(({ lines }) => lines !== undefined))
    return sourcesOfSets(name, source, sets, maxLineBytes);
  const found = await identified(source, maxLineBytes);
  const body = { bytes: found?.body ?? new Uint8Array() };
  const places = found && documentSets(found);
  if (places !== undefined) return sourcesOfSets(name, body, places, maxLineBytes);
  if (found?.layout !== "records") throw new Error(`${name} is one JSON document without records.`);
  return [{ name, open: () => openSource(body) }];
}

function sourcesOfSets(
  name: string,
  source: DataSource,
  sets: readonly SetPlace[],
  maxLineBytes: number,
): readonly TableSource[] {
  return sets.flatMap(({ table, lines, isMap = false }) => {
    if (lines === undefined) return [];
    const set = { ...lines, isMap };
    const open = (): ByteReader => linesOf(source, DOCUMENT, set, { maxLineBytes });
    return [{ name: tableOfSet(name, table), open }];
  });
}

function linesOf(...body: Parameters<typeof openLines>): ByteReader {
  return openLines(...body) ?? openSource(body[0]);
}

function openTable(
  { name, stored, open, cells = false }: TableSource,
  ownPath: string,
  maxLineBytes: number,
  maxBytes: number,
): Omit<TableFile, "inMemory"> {
  if (stored !== undefined) {
    const scanned = scanRecords(open(), { maxLineBytes, cells });
    if (scanned.isClean) {
      const file = openStored(stored);
      return { name, ...scanned, path: stored.path, file, header: stored.start > 0 };
    }
  }
  const reader = open();
  const file = openSync(ownPath, CREATE, 0o600);
  let left = maxBytes;
  const write = (text: string) => {
    left -= Buffer.byteLength(text);
    if (left < 0) throw new Error(`the table ${name} would be too large`);
    writeFileSync(file, text);
  };
  const scanned = scanRecords(reader, { maxLineBytes, cells, write });
  return { name, ...scanned, path: ownPath, file, header: false };
}

/** `undefined` if it is too large. */
async function identified(source: FileSource, maxBytes: number): Promise<Content | undefined> {
  if (source.end - source.start > maxBytes) return undefined;
  const reader = openSource(source);
  try {
    return await identifyContent(wholeOf(reader).toString("utf8"));
  } finally {
    reader.close();
  }
}
