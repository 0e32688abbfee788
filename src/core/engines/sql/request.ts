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

interface TableForm {
  readonly layout: Layout;
  /** How `rows` are written. Default: CSV. */
  readonly rowFormat?: RowFormat | undefined;
  /** Each a table of its own, named by `tableOfSet`. Default: one table. */
  readonly sets?: readonly SetPlace[] | undefined;
}

/** A stored output as a table. */
export interface SqlTable extends TableForm {
  readonly name: string;
  readonly key: string;
  /** Where files are made of it. Default: the system's temporary directory. */
  readonly folder?: "memory" | undefined;
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

interface SqlTableColumns {
  readonly name: string;
  readonly columns: readonly SqlColumn[];
}

/** What became of a query. Of one that was stopped, the rows are those that were found until then. */
export interface SqlResult extends RunEnd {
  readonly head: string;
  readonly rows: readonly string[];
  readonly rowCount: number;
  readonly uncounted: boolean;
  /** The columns of each table; empty when one could not be loaded. */
  readonly tables: readonly SqlTableColumns[];
}

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
  /** Starts a process ahead of the first query. */
  warm(): void;
  /**
   * Runs one SELECT. What is wrong with the query or the data is in the result's `error`.
   *
   * @throws {@link OffloadError} with code `LIMIT_EXCEEDED` when too many runs wait or the engine is closed,
   * and whatever `withSource` throws.
   * @throws The signal's reason when it is aborted.
   */
  run(request: SqlRequest, signal?: AbortSignal): Promise<SqlResult>;
  close(): Promise<void>;
}

export interface SqlTableJob extends TableForm {
  readonly names: readonly string[];
  readonly source: Extract<DataSource, { readonly path: string }>;
}

export interface SqlLoadJob {
  readonly kind: "load";
  readonly tables: readonly SqlTableJob[];
}

export type SqlLoadReply =
  | { readonly ok: true; readonly tables: readonly SqlTableColumns[] }
  | {
      readonly ok: false;
      readonly table: string;
      readonly message: string;
    };

export interface SqlQueryJob extends Required<Omit<SqlRequest, "tables">> {
  readonly kind: "query";
  readonly softTimeoutMs: number;
}

export interface SqlAnswer {
  readonly result: SqlResult;
  readonly isSpent: boolean;
}

export interface SqlOwnWords {
  readonly lastWords: string;
}
