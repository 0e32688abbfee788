import type { StoredMedia } from "./media.js";

/**
 * The kind of an output's data. Kinds from `xml` on have no records. jq can read `xml`, `html` and `yaml` documents;
 * `binary` is bytes that are no text.
 */
export type ContentKind = (typeof CONTENT_KINDS)[number];

export const CONTENT_KINDS = [
  "json-array",
  "json-object",
  "json-map",
  "json-lines",
  "json-document",
  "csv",
  "tsv",
  "xml",
  "html",
  "yaml",
  "log",
  "markdown",
  "code",
  "diff",
  "text",
  "binary",
] as const;

/**
 * The layout of the stored file, which decides what drill-ins do with it. `records`: a header line, then one JSON
 * value per line. `rows`: CSV or TSV as it came. `document`: one JSON document, as it came or with the records of its
 * sets on their own lines. `text`: lines as they came.
 */
export type Layout = "records" | "rows" | "document" | "text";

/** The records of an output, in order. */
export interface RecordSet extends Pick<SetPlace, "isMap"> {
  readonly count: number;
  /** Number of available records if not all are, as for a stream. `at` then returns an evenly spread sample. */
  readonly sampleCount?: number | undefined;
  /** Object keys from the document's root to the array or map; empty if the root is the set. */
  readonly path: readonly string[];
  /**
   * JSON of the document around the records, with `[]` or `{}` in their place; `undefined` if there is nothing around
   * them.
   */
  readonly envelope: string | undefined;
  /** JSON text (or CSV row) of the record at `index`, without its line end. */
  readonly at: (index: number) => string;
  /** Whether doubles hold all numbers; absent if unknown. */
  readonly numbersAreShort?: boolean | undefined;
}

/** The place of one of several record sets. Plain JSON data, stored with the artifact. */
export interface SetPlace {
  /** Object keys from the document's root to the array or map. */
  readonly path: readonly string[];
  readonly count: number;
  /** The records are members of an object, `{key, value}` each; absent for an array. */
  readonly isMap?: true | undefined;
  /** Name of its SQL table: needs no quotes, and is unique regardless of case. */
  readonly table: string;
  /**
   * Its part of the body without a header line, with one record per line and a comma after all but the last: byte
   * offsets, `end` exclusive, and the first line, from 1. Absent in a body as it came.
   */
  readonly lines?:
    | { readonly start: number; readonly end: number; readonly firstLine: number }
    | undefined;
}

export interface DocumentSet extends RecordSet, SetPlace {}

/** An output's data, identified and ready to be stored. */
export interface Content {
  readonly kind: ContentKind;
  readonly layout: Layout;
  /**
   * The bytes to store without a header line, in UTF-8 except for `binary`; each record ends with `\n`. For a stream,
   * only the beginning.
   */
  readonly body: Uint8Array;
  /** `false` if a stream was stopped at its size limit. */
  readonly complete?: false | undefined;
  /** Set for a table in which quotes are ordinary characters. */
  readonly literalQuotes?: true | undefined;
  /** Lines in `body`, an unfinished last one included. */
  readonly lineCount: number;
  /** Facts about the bytes, if they came as an image, a sound, a document or another file. */
  readonly media?: StoredMedia | undefined;
  /**
   * Present for the layouts `records` and `rows`. For a document with several sets, or with more than 1 KiB besides
   * its one set, a list of at most 16, the largest first; their envelope is the document without all of their
   * records.
   */
  readonly records: RecordSet | readonly DocumentSet[] | undefined;
}

/** The set of an output with exactly one set and no list. */
export function oneSet({ records }: Pick<Content, "records">): RecordSet | undefined {
  return records !== undefined && "path" in records ? records : undefined;
}

export function documentSets({ records }: Content): readonly DocumentSet[] | undefined {
  return records === undefined || "path" in records ? undefined : records;
}

export function setsOf({ records = [] }: Pick<Content, "records">): readonly RecordSet[] {
  return "path" in records ? [records] : records;
}

/** The size of an output, as far as the decision needs it. */
export interface Measurement {
  readonly tokens: number;
  readonly exact: boolean;
  readonly characters: number;
  /** Whether the text exceeds the limit; exact even if `tokens` is not. */
  readonly overLimit: boolean;
}
