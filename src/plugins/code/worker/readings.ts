/// <reference lib="es2024.string" />
import {
  elementTexts,
  type JsonPlace,
  membersOf,
  placeAt,
  textAt,
} from "../../../core/content/json/json-text.js";
import { setPath, setsWithCounts } from "../../../core/content/json/sets/set-names.js";
import { isOneDocument } from "../../../core/engines/data-source.js";
import { createMarkupReader } from "../../../core/engines/jq/markup/markup-reader.js";
import {
  type ByteReader,
  LineTooLongError,
  openSource,
  readLineBlocks,
  wholeOf,
} from "../../../core/engines/readers/byte-reader.js";
import { linesIn, openLines } from "../../../core/engines/readers/record-readers.js";
import { grouped } from "../../../util/amounts.js";
import { isString } from "../../../util/as-kind.js";
import { fieldOf } from "../../../util/field-of.js";
import { shorten } from "../../../util/safe-text.js";
import { decodeText } from "../../../util/text-encoding.js";
import type { CodeBody } from "../request.js";
import { SandboxFault } from "./sandbox-vm.js";

type ReadingKind = "records" | "lines" | "json" | "text";

export interface Reading {
  readonly kind: ReadingKind;
  next(): string | undefined;
  leave(): void;
}

const MAX_WHY_CHARACTERS = 300;
const MAX_FIELD_CHARACTERS = 80;

/**
 * @param how - `natural` reads an output as what it is.
 * @param asked - For records, JSON of `[fields, set]` as the code gave them; without it, all records.
 * @throws {@link SandboxFault} for an unsuitable form, naming suitable ones.
 */
export function openReading(
  body: CodeBody,
  how: "records" | "lines" | "whole" | "natural",
  maxLineBytes: number,
  asked = "[]",
): Reading {
  const isValue = isOneDocument(body);
  const isText = !isValue && body.layout === "text";
  const isNatural = how === "natural";
  if (how === "lines" || (isNatural && isText)) {
    return begin(
      "lines",
      lineTexts(() => openSource(body.source), maxLineBytes),
    );
  }
  const isWhole = how === "whole" || (isNatural && body.sets === undefined);
  if (isWhole && (isValue || isText)) {
    checkSize(body, maxLineBytes);
    return begin(isValue ? "json" : "text", wholeOnce(body));
  }
  if (isText)
    throw new SandboxFault("this output is text and has no records: use outputs.lines(id)");
  const { fields, setName } = wantedOf(body, asked);
  const set = body.sets && chooseSet(body.sets, setName);
  const texts = recordTexts(body, set, maxLineBytes);
  return begin("records", fields.length === 0 ? texts : pickedTexts(texts, fields));
}

function begin(kind: ReadingKind, blocks: Generator<readonly string[], void>): Reading {
  return {
    kind,
    leave: () => void blocks.return(),
    next() {
      const { value: texts } = orFault(() => blocks.next());
      if (texts === undefined) return undefined;
      return kind === "records" ? `[${texts.join(",")}]` : texts.join("\n");
    },
  };
}

function wantedOf(
  { sets }: CodeBody,
  asked: string,
): { readonly fields: readonly string[]; readonly setName: string | undefined } {
  try {
    const [one, other]: readonly unknown[] = JSON.parse(asked);
    const isSet = sets !== undefined && isString(one) && !other;
    const setName = isSet ? one : (other ?? undefined);
    const fields: unknown = isSet ? [] : (one ?? []);
    const isList = Array.isArray(fields) && fields.every(isString);
    if (isList && (setName === undefined || isString(setName))) return { fields, setName };
  } catch {
    // A list cut because it was too long.
  }
  throw new SandboxFault(
    'outputs.open(id, fields, set) takes a list of names, such as ["id", "user"], and the name of a set',
  );
}

/** @param wanted - With or without a leading dot and `[]`; `undefined` for the only set. */
function chooseSet(sets: readonly RecordSet[], wanted: string | undefined): RecordSet {
  const [first, ...others] = sets;
  if (wanted === undefined && first !== undefined && others.length === 0) return first;
  const name = wanted?.replace(/^\.?/, ".").replace(/\[\]$/, "");
  const found = sets.find((set) => setPath(set) === name);
  if (found !== undefined) return found;
  throw new SandboxFault(
    `name one record set of this document as the last argument of outputs.open: ${setsWithCounts(sets)}`,
  );
}

/**
 * The records with only the members that lead to these fields, in their original text.
 * @throws {@link SandboxFault} at the end when there were records and none had one of the members.
 */
function* pickedTexts(
  blocks: Iterable<readonly string[]>,
  names: readonly string[],
): Generator<readonly string[], void> {
  const keys = names.map((name) => [name, name.split(".")[0]].map((key) => JSON.stringify(key)));
  const wanted = new Set(keys.flat());
  const found = new Set<string>();
  let hasRecords = false;

  function picked(text: string): string {
    const json = text.trim();
    if (!json.startsWith("{")) return json;
    const members = membersOf(json, { start: 0, end: json.length });
    // The vm's parser reports damaged text.
    if (json.slice(members.at(-1)?.[1].end ?? 1).trim() !== "}") return json;
    const kept: string[] = [];
    for (const [name, { start, end }] of members) {
      const key = name.includes("\\") ? JSON.stringify(JSON.parse(name)) : name;
      if (!wanted.has(key)) continue;
      found.add(key);
      kept.push(`${name}:${json.slice(start, end)}`);
    }
    return `{${kept.join(",")}}`;
  }

  for (const texts of blocks) {
    hasRecords ||= texts.length > 0;
    yield texts.map(picked);
  }
  const missing = names.find((_, at) => keys[at]?.every((key) => !found.has(key)));
  if (missing === undefined || !hasRecords) return;
  const shown = JSON.stringify(shorten(missing, MAX_FIELD_CHARACTERS));
  throw new SandboxFault(`no record has the field ${shown}`);
}

function orFault<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SandboxFault || !(error instanceof Error)) throw error;
    if (error instanceof LineTooLongError)
      throw new SandboxFault("a line of this output is longer than what fits into memory");
    // A message of the file system names the file.
    const code = fieldOf(error, "code");
    const why = typeof code === "string" ? code : error.message.slice(0, MAX_WHY_CHARACTERS);
    throw new SandboxFault(`this output cannot be read: ${why}`);
  }
}

type RecordSet = NonNullable<CodeBody["sets"]>[number];

const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const DOCUMENT_RECORDS = 500;

function* lineTexts(
  open: () => ByteReader,
  maxLineBytes: number,
): Generator<readonly string[], void> {
  const source = open();
  try {
    for (const block of readLineBlocks(source, maxLineBytes)) yield linesIn(block);
  } finally {
    source.close();
  }
}

function* wholeOnce(body: CodeBody): Generator<readonly string[], void> {
  yield [wholeText(body)];
}

function wholeText({ source, markup }: CodeBody): string {
  const reader = openSource(source);
  try {
    return decodeText(wholeOf(markup === undefined ? reader : createMarkupReader(reader, markup)));
  } finally {
    reader.close();
  }
}

function* recordTexts(
  body: CodeBody,
  set: RecordSet | undefined,
  maxLineBytes: number,
): Generator<readonly string[], void> {
  const place = set?.lines && { ...set.lines, isMap: set.isMap ?? false };
  const lines =
    body.markup === undefined ? openLines(body.source, body, place, { maxLineBytes }) : undefined;
  if (lines !== undefined) {
    for (const texts of lineTexts(() => lines, maxLineBytes))
      yield texts.filter((text) => /\S/.test(text));
    return;
  }
  checkSize(body, MAX_DOCUMENT_BYTES);
  const text = wholeText(body);
  const list = `[${text}]`;
  const texts = isOneDocument(body) ? textsOfDocument(text, set) : textsIn(list, placeAt(list, []));
  for (let at = 0; at < texts.length; at += DOCUMENT_RECORDS)
    yield texts.slice(at, at + DOCUMENT_RECORDS);
}

/** @throws {@link SandboxFault} when a body has more bytes. */
function checkSize({ source }: CodeBody, maxBytes: number): void {
  const sizeBytes = "bytes" in source ? source.bytes.length : source.end - source.start;
  if (sizeBytes <= maxBytes) return;
  throw new SandboxFault(
    `this output has ${grouped(sizeBytes)} bytes, more than the ${grouped(maxBytes)} that can be held at once: outputs.lines(id) reads its lines one by one`,
  );
}

function textsOfDocument(json: string, set: RecordSet | undefined): readonly string[] {
  const root = placeAt(json, set?.path ?? []);
  if (set !== undefined || root === undefined || json[root.start] === "[")
    return textsIn(json, root);
  throw new SandboxFault(
    "this document is no list of records: outputs.read(id) gives all of it as a value",
  );
}

function textsIn(json: string, place: JsonPlace | undefined): readonly string[] {
  if (place === undefined) return [];
  return (
    elementTexts(json, place) ??
    [...new Map(membersOf(json, place))].map(
      ([key, value]) => `{"key":${key},"value":${textAt(json, value)}}`,
    )
  );
}
