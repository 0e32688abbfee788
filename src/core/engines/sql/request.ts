import type { RowFormat } from "../../content/table/rows.js";
import type { SqlColumn } from "../../profile/sql/columns.js";
import type { Layout, SetPlace } from "../../types/content.js";
import type { DataSource } from "../data-source.js";
import { ENDED, type RunEnd } from "../run-status.js";

/** What SQL may use: `drillIn.sql`. */
export interface SqlOptions {
  /**
   * Memory of DuckDB in one process, in mebibytes, at least 64. Outputs of up to a third of it together are kept
   * as tables in memory, others are read from their file by every query. The process may take 384 more.
   *
   * @defaultValue `512`
   */
  readonly maxMemoryMb?: number | undefined;
}

/** How an output becomes a table. */
interface TableForm {
  /** A line that is no record may stand before those of `records`. */
  readonly layout: Layout;
  /** How `rows` are written. Default: CSV. */
  readonly rowFormat?: RowFormat | undefined;
  /** Each a table of its own, named by `tableOfSet`. Default: one table. */
  readonly sets?: readonly SetPlace[] | undefined;
}

/** A stored output as a table. */
export interface SqlTable extends TableForm {
  /** Its name in queries. */
  readonly name: string;
  /** Tells outputs apart: the same key is the same data. */
  readonly key: string;
  /** Where files are made of it. Default: the system's temporary directory. */
  readonly folder?: "memory" | undefined;
  /** Calls `use` with the body without the header line, which is there until `use` is done. */
  readonly withSource: <T>(
    use: (source: DataSource) => Promise<T>,
    stop: AbortSignal | undefined,
  ) => Promise<T>;
}

/** One query and all that it sees. */
export interface SqlRequest {
  readonly tables: readonly SqlTable[];
  readonly query: string;
  /** Rows that are left out at the beginning. Default 0. */
  readonly skip?: number;
  readonly maxOutputBytes: number;
}

/** The columns of a table. */
interface SqlTableColumns {
  readonly name: string;
  readonly columns: readonly SqlColumn[];
}

/** What became of a query. Of one that was stopped, the rows are those that were found until then. */
export interface SqlResult extends RunEnd {
  /** The result's column names, laid out. */
  readonly head: string;
  /** The first rows behind those that are left out, each laid out as one line. */
  readonly rows: readonly string[];
  /** Rows of the whole result, as far as they were counted. */
  readonly rowCount: number;
  /** Whether counting was stopped there, by its own bound or by the time: there may be more rows. */
  readonly uncounted: boolean;
  /** The columns of each table; empty when one could not be loaded. */
  readonly tables: readonly SqlTableColumns[];
}

/** A result without anything in it, to say one thing with. */
export const NO_RESULT: SqlResult = {
  head: "",
  rows: [],
  rowCount: 0,
  uncounted: false,
  tables: [],
  ...ENDED,
};

/** Runs SQL off the event loop, without environment, files or network. */
export interface SqlEngine {
  /**
   * Runs one SELECT. What is wrong with the query or the data is in the result's `error`.
   *
   * @throws {@link OffloadError} with code `LIMIT_EXCEEDED` when too many runs wait or the engine is closed,
   * and whatever `withSource` throws.
   * @throws The signal's reason when it is aborted.
   */
  run(request: SqlRequest, signal?: AbortSignal): Promise<SqlResult>;
  /** Ends all processes. */
  close(): Promise<void>;
}

/** One output that becomes a table, as the child gets it. */
export interface SqlTableJob extends TableForm {
  /** Of the table; the output can have several names, one at least. */
  readonly names: readonly string[];
  /** `start` is behind a header line. */
  readonly source: Extract<DataSource, { readonly path: string }>;
}

/** What the engine sends to its child at first: the only outputs that the child ever sees. */
export interface SqlLoadJob {
  readonly kind: "load";
  readonly tables: readonly SqlTableJob[];
  /** For files of the child's own; made by the engine, which removes what is left of it. */
  readonly folder: string;
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

/** One query over the loaded tables. */
export interface SqlQueryJob extends Required<Omit<SqlRequest, "tables">> {
  readonly kind: "query";
  /** The child interrupts the query by itself after this time, and so keeps its tables. */
  readonly softTimeoutMs: number;
}

/** What became of a query, and whether its process is no good for another. */
export interface SqlAnswer {
  readonly result: SqlResult;
  readonly isSpent: boolean;
}

/** What a child says by itself: that it can take requests, and something just before it ends. */
export type SqlOwnWords =
  | { readonly started: true }
  | {
      /** `out-of-memory`, or why DuckDB could not be loaded. */
      readonly lastWords: string;
    };
