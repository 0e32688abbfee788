import type { RowFormat } from "../../content/table/rows.js";
import type { Layout, SetPlace } from "../../types/content.js";
import type { DataSource } from "../data-source.js";
import type { SqlColumn } from "../../profile/sql/columns.js";
import { needsQuotes, quotedName } from "../../profile/sql/names.js";

/** One output that becomes a table. */
export interface SqlTableJob {
  /** Of the table; the output can have several names, one at least. */
  readonly names: readonly string[];
  readonly source: Extract<DataSource, { readonly path: string }>;
  /** A line that is no record may stand before those of `records`; `source.start` is behind it. */
  readonly layout: Layout;
  /** How `rows` are written. Default: CSV. */
  readonly rowFormat?: RowFormat | undefined;
  /** Each a table of its own, named by {@link tableOfSet}. Default: one table. */
  readonly sets?: readonly SetPlace[] | undefined;
}

/** The name of an output that the call has by its id. */
export const OWN_NAME = "output";

/** The table of one of several sets: by its own name, or, of an output in `with`, after that name. */
export function tableOfSet(outputName: string, table: string): string {
  return outputName === OWN_NAME ? table : `${outputName}_${table}`;
}

/** A column as a query has it: in double quotes where it needs them. */
export function columnInQuery(name: string): string {
  return needsQuotes(name) ? quotedName(name) : name;
}

/** What the engine sends to its child at first: the only outputs that the child ever sees. */
export interface SqlLoadJob {
  readonly kind: "load";
  readonly tables: readonly SqlTableJob[];
  /** For files of the child's own; made by the engine, which removes what is left of it. */
  readonly folder: string;
}

/** The columns of a loaded table. */
export interface SqlTableColumns {
  readonly name: string;
  readonly columns: readonly SqlColumn[];
}

/** One query over the loaded tables. */
export interface SqlQueryJob {
  readonly kind: "query";
  readonly query: string;
  /** Rows that are left out at the beginning. */
  readonly skip: number;
  readonly maxOutputBytes: number;
  /** The child interrupts the query by itself after this time, and so keeps its tables. */
  readonly softTimeoutMs: number;
}

/** What became of a load. */
export type SqlLoadReply =
  | { readonly ok: true; readonly tables: readonly SqlTableColumns[] }
  | {
      readonly ok: false;
      /** The output that is no table, by its name; empty when it may be any of them. */
      readonly table: string;
      readonly message: string;
    };

/** What became of a query. */
export interface SqlReply {
  /** The result's column names, laid out. */
  readonly head: string;
  /** The first rows behind those that are left out, each laid out as one line. */
  readonly rows: readonly string[];
  /** Rows of the whole result, as far as they were counted. */
  readonly rowCount: number;
  /** Whether counting was stopped there, by its own bound or by the time: there may be more rows. */
  readonly uncounted: boolean;
  /** What is wrong with the query, in DuckDB's words or ours. */
  readonly error: string | undefined;
  /** Whether the time was over before the end; the rows are those that were found until then. */
  readonly timedOut: boolean;
  readonly outOfMemory: boolean;
}

/** A reply, and whether its process is no good for another query. */
export interface SqlQueryReply extends SqlReply {
  readonly isSpent: boolean;
}

/** A reply without anything in it, to say one thing with. */
export const EMPTY_REPLY: SqlReply = {
  head: "",
  rows: [],
  rowCount: 0,
  uncounted: false,
  error: undefined,
  timedOut: false,
  outOfMemory: false,
};

/** What a child says by itself: that it can take requests, and something just before it ends. */
export type SqlOwnWords =
  | { readonly started: true }
  | {
      /** `out-of-memory`, or why DuckDB could not be loaded. */
      readonly lastWords: string;
    };
