import type { SqlColumn } from "../../profile/sql/columns.js";
import type { SetPlace } from "../../types/content.js";
import type { BodyForm, DataSource, FileSource } from "../data-source.js";
import { ENDED, type Engine, type RunEnd } from "../run-status.js";

/** Options of SQL: `drillIn.sql`. */
export interface SqlOptions {
  /**
   * Memory of DuckDB in one process, in mebibytes, at least 64. Outputs that fit a third of it together become tables
   * in memory; others are read from their file by each query. The process may take 384 more.
   *
   * @defaultValue `512`
   */
  readonly maxMemoryMb?: number | undefined;
}

interface TableForm extends Pick<BodyForm, "layout" | "rowFormat"> {
  readonly name: string;
  /** Each becomes a table named by `tableOfSet`. Default: one table. */
  readonly sets?: readonly SetPlace[] | undefined;
}

export interface SqlTable extends TableForm {
  readonly key: string;
  /** Where files are made. Default: the system's temporary directory. */
  readonly folder?: "memory" | undefined;
  readonly withSource: <T>(
    use: (source: DataSource) => Promise<T>,
    stop: AbortSignal | undefined,
  ) => Promise<T>;
}

export interface SqlRequest {
  readonly tables: readonly SqlTable[];
  readonly query: string;
  /** Default 0. */
  readonly skip?: number;
  readonly maxOutputBytes: number;
}

export interface SqlResult extends RunEnd {
  readonly head: string;
  readonly rows: readonly string[];
  readonly rowCount: number;
  readonly uncounted: boolean;
  /** Empty if a table could not be loaded, or the process has ended. */
  readonly tables: readonly { readonly name: string; readonly columns: readonly SqlColumn[] }[];
}

export const NO_RESULT: SqlResult = {
  head: "",
  rows: [],
  rowCount: 0,
  uncounted: false,
  tables: [],
  ...ENDED,
};

/** Runs one SELECT, without environment, files or network. */
export type SqlEngine = Engine<SqlRequest, SqlResult>;

export interface SqlTableJob extends TableForm {
  readonly source: FileSource;
}

export type SqlQueryJob = Required<Omit<SqlRequest, "tables">>;

export type SqlJob = SqlQueryJob | { readonly load: readonly SqlTableJob[] };

/** Of either job. The channel between the processes drops `undefined` members. */
export interface SqlAnswer {
  readonly result: SqlResult;
  /** Whether the process must not be used again. */
  readonly isSpent: boolean;
}

export function spent(result: Partial<SqlResult>): SqlAnswer {
  return { result: { ...NO_RESULT, ...result }, isSpent: true };
}
