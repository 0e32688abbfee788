import type { StoredMedia } from "./media.js";
import type { LiveCursor } from "./output.js";

/**
 * What kind of data an output is. Those from `xml` on have no records; `xml`, `html` and `yaml` are documents that jq reads,
 * `binary` is bytes that are no text.
 */
export type ContentKind =
  | "json-array"
  | "json-object"
  | "json-map"
  | "json-lines"
  | "json-document"
  | "csv"
  | "tsv"
  | "xml"
  | "html"
  | "yaml"
  | "log"
  | "markdown"
  | "code"
  | "diff"
  | "text"
  | "binary";

/**
 * How the stored file is laid out, which decides what drill-ins do with it.
 * `records`: a header line, then one JSON value a line. `rows`: CSV or TSV as it came.
 * `document`: one JSON document, as it came or with the records of its sets on lines of their own. `text`: lines as they came.
 */
export type Layout = "records" | "rows" | "document" | "text";

/** The records of an output, in order. */
export interface RecordSet {
  readonly count: number;
  /**
   * How many records are in reach when not all are, as of a stream: those that `at` gives are then a
   * sample spread over the set.
   */
  readonly sampleCount?: number | undefined;
  /** The last record, where not all are in reach; `undefined` when it is too long to be kept. */
  readonly last?: string | undefined;
  /** Object keys from the document's root to the array or map; empty when the root is the set. */
  readonly path: readonly string[];
  /**
   * JSON text of the document around the records, its array replaced by `[]` or its map by `{}`;
   * `undefined` when nothing is around them.
   */
  readonly envelope: string | undefined;
  /** JSON text (or CSV row) of the record at `index`, without its line end. */
  readonly at: (index: number) => string;
  /** Whether every number in them is kept as a double; absent where nobody knows. */
  readonly numbersAreShort?: boolean | undefined;
}

/** Where one of several record sets of a document is. Plain JSON data: it is kept beside the body. */
export interface SetPlace {
  /** Object keys from the document's root to the array or map. */
  readonly path: readonly string[];
  readonly count: number;
  /** The records are the members of an object, `{key, value}` each; absent for the elements of an array. */
  readonly isMap?: true | undefined;
  /** The name of its table in SQL: written without quotes, and no other set's in any case. */
  readonly table: string;
  /**
   * Its part of the body without a header line, one record a line, a comma after all but the last: offsets in
   * bytes, `end` exclusive, and the number of the first line, from 1. Absent in a body as it came.
   */
  readonly lines?:
    | { readonly start: number; readonly end: number; readonly firstLine: number }
    | undefined;
}

/** One of several record sets of a document, its records in reach. */
export interface DocumentSet extends RecordSet, SetPlace {}

/** An output's data, identified and ready to be stored. */
export interface Content {
  readonly kind: ContentKind;
  readonly layout: Layout;
  /** The bytes to store, UTF-8 but for `binary`, without a header line; records end with `\n` each. Of a stream, their beginning. */
  readonly body: Uint8Array;
  /** `false` when a stream was stopped at its size limit. */
  readonly complete?: false | undefined;
  /** The next page's cursor, where it stood beside the output and not in it. */
  readonly nextPage?: LiveCursor | undefined;
  /** In a table: a quote is a character like any other. Absent where it can open a cell. */
  readonly literalQuotes?: true | undefined;
  /** Lines in `body`; an unfinished last line counts. */
  readonly lineCount: number;
  /** What the bytes are, where they came as an image, a sound, a document or another file. */
  readonly media?: StoredMedia | undefined;
  /**
   * Present for the layouts `records` and `rows`. A list for a document that has several sets, or more than 1 KiB beside its
   * one: at most 16, the largest in bytes first. Their envelope is the document without the records of all of them.
   */
  readonly records: RecordSet | readonly DocumentSet[] | undefined;
}

/** The set of an output that has one and nothing else; `undefined` for one without records, and for a list of sets. */
export function oneSet({ records }: Pick<Content, "records">): RecordSet | undefined {
  return records !== undefined && "path" in records ? records : undefined;
}

export function documentSets({
  records,
}: Pick<Content, "records">): readonly DocumentSet[] | undefined {
  return records === undefined || "path" in records ? undefined : records;
}

export function setsOf(content: Pick<Content, "records">): readonly RecordSet[] {
  const one = oneSet(content);
  return one === undefined ? (documentSets(content) ?? []) : [one];
}

/** A token count and whether it is exact. */
export interface TokenCount {
  readonly tokens: number;
  readonly exact: boolean;
}

/** How large an output is, as far as the decision needs to know. */
export interface Measurement extends TokenCount {
  readonly characters: number;
  /** Whether the count is over the limit that was asked about; exact even when `tokens` is not. */
  readonly overLimit: boolean;
}
