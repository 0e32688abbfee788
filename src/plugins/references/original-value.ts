import { identifyJson } from "../../core/content/json/identify-json.js";
import { ownFieldOf } from "../../util/field-of.js";
import { decodeText } from "../../util/text-encoding.js";
import { isOneValue } from "../../core/content/as-value.js";
import type { StoredArtifact } from "../../core/types/artifact.js";

/**
 * The value that a tool returned, made of the bytes that were stored: text for text and tables, else
 * what the JSON stands for, with the document around its records. Numbers are those of JavaScript.
 *
 * @param bytes - The whole file, header line included.
 * @throws SyntaxError when the bytes are not what was stored.
 */
export async function originalValue(artifact: StoredArtifact, bytes: Uint8Array): Promise<unknown> {
  const { headerBytes, kind, layout, encoding } = artifact;
  const json = decodeText(bytes.subarray(headerBytes), encoding);
  if (layout === "text" || layout === "rows") return json;
  if (isOneValue(artifact)) return JSON.parse(json);
  const records = parseLines(layout === "document" ? await onLines(json) : json);
  if (kind === "json-lines" || headerBytes === 0) return records;
  const header: unknown = JSON.parse(decodeText(bytes.subarray(0, headerBytes), "utf-8"));
  const set = kind === "json-map" ? mapOf(records) : records;
  return putInto(ownFieldOf(header, "envelope"), ownFieldOf(header, "records_path"), set);
}

/** A line feed stands between records only: within a string it is escaped. */
function parseLines(lines: string): readonly unknown[] {
  const records: readonly unknown[] = JSON.parse(`[${lines.trimEnd().replaceAll("\n", ",")}]`);
  return records;
}

/** JSON documents that follow each other on any lines, each on one of its own. */
async function onLines(json: string): Promise<string> {
  const content = await identifyJson(json);
  if (content?.layout !== "records") throw new SyntaxError("The documents are damaged.");
  return decodeText(content.body, content.encoding);
}

/** Defined, not assigned, as `JSON.parse` does it: `__proto__` is a key like any other. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function mapOf(records: readonly unknown[]): object {
  const map = {};
  for (const record of records)
    define(map, String(ownFieldOf(record, "key")), ownFieldOf(record, "value"));
  return map;
}

function putInto(envelope: unknown, path: unknown, set: unknown): unknown {
  if (envelope === undefined || !Array.isArray(path) || path.length === 0) return set;
  const keys = path.map(String);
  let place: unknown = envelope;
  for (const key of keys.slice(0, -1)) place = ownFieldOf(place, key);
  if (typeof place !== "object" || place === null) throw new SyntaxError("The header is damaged.");
  define(place, keys.at(-1) ?? "", set);
  return envelope;
}
