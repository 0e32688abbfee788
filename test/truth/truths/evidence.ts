import { loadAll } from "js-yaml";

import { xmlDocument } from "./markup.js";
import { textOf } from "../grammar/scanner.js";

/** The records of a table with a header: objects of texts. Cells in quotes are read as RFC 4180 has it. */
function rowsOf(text: string): readonly Readonly<Record<string, string>>[] {
  const [first = ""] = text.split(/\r?\n/, 1);
  const delimiter =
    [",", "\t", ";", "|"].toSorted(
      (one, other) => first.split(other).length - first.split(one).length,
    )[0] ?? ",";
  const [header = [], ...rows] = cellsOf(text, delimiter);
  const names = namesOf(header);
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ""])));
}

/** Columns without a name are called by their number. */
function namesOf(header: readonly string[]): readonly string[] {
  return header.map((cell, at) => {
    if (cell !== "") return cell;
    let name = `column_${at + 1}`;
    while (header.includes(name)) name += "_";
    return name;
  });
}

function cellsOf(text: string, delimiter: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"(?=\\${delimiter}|\\r?\\n|$)|([^\\r\\n\\${delimiter}]*))(\\${delimiter}|\\r?\\n|$)`,
    "y",
  );
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text);
    if (found === null) break;
    const [, quoted, bare = "", end] = found;
    row.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === delimiter && cell.lastIndex < text.length) continue;
    if (end === delimiter) row.push("");
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return rows;
}

/** What a tool returned, as text. */
export interface RawOutput {
  readonly name: string;
  readonly text: string;
  readonly toolName?: string;
}

/** What the model sees in its place, and the bytes that are kept. */
export interface Described {
  readonly descriptor: string;
  readonly stored: string;
}

/** All that the claims of one descriptor are compared with. */
export interface Evidence {
  readonly raw: string;
  readonly stored: string;
  /** Lines of the raw text. */
  readonly lines: readonly string[];
  readonly kind: string;
  /** The parsed document; several of YAML are a list. */
  readonly document: unknown;
  readonly isRows: boolean;
  /** The records of a set, by its path as the descriptor writes it; of the only one for the empty text. */
  recordsOf(path: string): readonly unknown[] | undefined;
}

/** An object's own member; `undefined` for what is none. */
export function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}

/** Whether a value is an object that is no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads the raw output anew. The descriptor says only where in it the records are, and of which notation a text is. */
export function evidenceOf({ text }: RawOutput, { descriptor, stored }: Described): Evidence {
  const raw = text.replace(/^\uFEFF/, "");
  const { summary, file_ref: file } = JSON.parse(descriptor) as Record<
    string,
    Record<string, unknown> | undefined
  >;
  const path = textOf(file?.["path"] ?? "");
  const shape = textOf(memberOf(JSON.parse(descriptor), "shape"));
  const total = summary?.["count"] ?? memberOf(file?.["summary"], "total_records");
  // Some forms do not say what a text is: with records, and no JSON, it is a table.
  const mayBeTable = (total !== undefined || shape.startsWith("array(")) && !isJson(raw);
  const told = summary?.["kind"] ?? (mayBeTable ? "table" : path.split(".").at(-1));
  const parsed = parse(raw, textOf(told));
  const header = stored.startsWith('{"type":"lro_header"')
    ? (JSON.parse(stored.split("\n", 1)[0] ?? "") as object)
    : {};
  const fromHeader = memberOf(header, "records_path");
  const at = summary?.["records_at"];
  const keys = Array.isArray(fromHeader)
    ? fromHeader.map(textOf)
    : typeof at === "string"
      ? keysOf(parsed.document, at.split("."))
      : placeOfSize(parsed.document, Number(total));
  const first: unknown = Array.isArray(at) ? memberOf(at[0], "path") : undefined;
  return {
    raw,
    stored,
    lines: raw.split(/\r?\n/),
    ...parsed,
    recordsOf(wished) {
      const set = wished === "" && typeof first === "string" ? first : wished;
      const isMap = set.endsWith(" | to_entries") || !set.startsWith(".");
      const plain = set.replace(/ \| to_entries$/, "");
      const place =
        set === ""
          ? keys
          : plain.startsWith(".")
            ? stepsOf(plain).map(({ key = "" }) => key)
            : keysOf(parsed.document, plain.split("."));
      return entriesOf(
        place.reduce<unknown>((value, key) => memberOf(value, key), parsed.document),
        isMap,
      );
    },
  };
}

function isJson(raw: string): boolean {
  return parse(raw, "").document !== undefined;
}

/** Keys to the outermost list or object of so many members; none where the document itself has them, or nothing does. */
function placeOfSize(document: unknown, size: number): readonly string[] {
  let level: readonly (readonly [keys: readonly string[], value: unknown])[] = [[[], document]];
  while (level.length > 0) {
    const found =
      level.find(([, value]) => Array.isArray(value) && value.length === size) ??
      level.find(([, value]) => isObject(value) && Object.keys(value).length === size);
    if (found !== undefined) return found[0];
    level = level.flatMap(([keys, value]) =>
      isObject(value) && keys.length < 8
        ? Object.entries(value).map(([key, member]) => [[...keys, key], member] as const)
        : [],
    );
  }
  return [];
}

/** Keys that were joined by dots, of which some have dots themselves. */
function keysOf(value: unknown, parts: readonly string[]): readonly string[] {
  if (parts.length === 0) return [];
  for (let count = 1; count <= parts.length; count += 1) {
    const key = parts.slice(0, count).join(".");
    const member = memberOf(value, key);
    if (member !== undefined) return [key, ...keysOf(member, parts.slice(count))];
  }
  return parts;
}

/** The members of a map are records with a key and a value. */
function entriesOf(value: unknown, mayBeMap: boolean): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!mayBeMap || !isObject(value)) return undefined;
  return Object.entries(value).map(([key, member]) => ({ key, value: member }));
}

type Parsed = Pick<Evidence, "kind" | "document" | "isRows">;

function parse(raw: string, kind: string): Parsed {
  const isRows = /^(?:csv|tsv|ssv|psv|table|rows)/.test(kind);
  return { kind, isRows, document: isRows ? rowsOf(raw) : documentOf(raw, kind) };
}

function documentOf(raw: string, kind: string): unknown {
  const json = tryTo(() => JSON.parse(raw) as unknown);
  if (json !== undefined) return json;
  const lines = raw.split("\n").filter((line) => line.trim() !== "");
  if (/^[{[]/.test(raw.trimStart())) {
    const values = tryTo(() => lines.map((line) => JSON.parse(line) as unknown));
    if (values !== undefined) return values;
  }
  if (kind === "xml") return xmlDocument(raw);
  const documents = kind === "yaml" ? tryTo(() => loadAll(raw)) : undefined;
  return documents?.length === 1 ? documents[0] : documents;
}

function tryTo<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** A step of a path of jq: a member, or all elements. */
export interface Step {
  readonly key?: string;
}

/** The steps of a path as descriptors write it: `.a."b c"[]?`, `.a | arrays[]`. */
export function stepsOf(path: string): readonly Step[] {
  const steps: Step[] = [];
  for (const [, quoted, key, elements] of path.matchAll(
    /\.?("(?:[^"\\]|\\.)*")|\.([A-Za-z_]\w*)|( \| arrays\[\]|\[\])/g,
  )) {
    if (elements !== undefined) steps.push({});
    else steps.push({ key: key ?? String(JSON.parse(quoted ?? '""')) });
  }
  return steps;
}

/** All values at a place of a document. */
export function valuesAt(values: readonly unknown[], steps: readonly Step[]): readonly unknown[] {
  let found = values;
  for (const { key } of steps) {
    found = found.flatMap((value) => {
      if (key === undefined)
        return Array.isArray(value)
          ? (value as unknown[])
          : isObject(value)
            ? Object.values(value)
            : [];
      const member = memberOf(value, key);
      return member === undefined ? [] : [member];
    });
  }
  return found;
}
