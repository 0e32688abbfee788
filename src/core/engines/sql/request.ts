import type { DataSource } from "../data-source.js";
import type { SqlReply, SqlTableColumns, SqlTableJob } from "./job.js";

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

/** A stored output as a table. */
export interface SqlTable extends Pick<SqlTableJob, "layout" | "rowFormat" | "sets"> {
  /** Its name in queries. */
  readonly name: string;
  /** Tells outputs apart: the same key is the same data. */
  readonly key: string;
  /** Where files are made of it. Default: the system's temporary directory. */
  readonly folder?: "memory" | undefined;
  /**
   * Calls `use` with the body without the header line, which is there until `use` is done. May stop before that
   * when `stop` aborts.
   */
  readonly withSource: <T>(
    use: (source: DataSource) => Promise<T>,
    stop: AbortSignal,
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

/** What became of a query. */
export interface SqlResult extends SqlReply {
  /** The tables were not ready in time; they go on loading. */
  readonly loading: boolean;
  /** The columns of each table; empty when one could not be loaded. */
  readonly tables: readonly SqlTableColumns[];
}

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
