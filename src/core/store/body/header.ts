import type { DetailLevel } from "../../types/artifact.js";
import type { RecordSet } from "../../types/content.js";

/** The name of the header line's first key, `type`, by which readers know it. */
const HEADER_TYPE = "lro_header";

/** What the first line of a records file says about the lines below it. */
export interface HeaderFields {
  readonly operation: string;
  /** `null` when the call had no query; the key is there all the same. */
  readonly query: string | null;
  /** Records below the header line. */
  readonly count: number;
  readonly schemaVersion: string;
  /** Unix milliseconds; written as ISO 8601 in UTC with milliseconds. */
  readonly timestampMs: number;
  readonly estimatedTokens: number;
  readonly detail: DetailLevel;
  /** Where the records stood in their document; no keys are added when nothing was around them. */
  readonly records?: Pick<RecordSet, "path" | "envelope"> | undefined;
}

/**
 * Encodes the header line of the LRO specification, keys in its order, with its line end. The
 * document around the records follows as the extra keys `records_path` and `envelope`.
 *
 * @throws RangeError when `timestampMs` is not a time.
 */
export function encodeHeader(fields: HeaderFields): Uint8Array {
  const header = JSON.stringify({
    type: HEADER_TYPE,
    operation: fields.operation,
    query: fields.query,
    count: fields.count,
    schema_version: fields.schemaVersion,
    timestamp: new Date(fields.timestampMs).toISOString(),
    estimated_tokens: fields.estimatedTokens,
    detail: fields.detail,
  });
  const path = fields.records?.path ?? [];
  const envelope = fields.records?.envelope;
  const pathPart = path.length === 0 ? "" : `,"records_path":${JSON.stringify(path)}`;
  const envelopePart = envelope === undefined ? "" : `,"envelope":${onOneLine(envelope)}`;
  return new TextEncoder().encode(`${header.slice(0, -1)}${pathPart}${envelopePart}}\n`);
}

/**
 * JSON text has raw line ends only between tokens, where they may go. A lone surrogate stands only
 * in a string, where its escape is the same value and keeps the line valid UTF-8.
 */
function onOneLine(json: string): string {
  return json
    .replaceAll(/[\n\r]/g, "")
    .replaceAll(/\p{Surrogate}/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}
