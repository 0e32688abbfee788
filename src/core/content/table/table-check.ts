import type { Content } from "../../types/content.js";
import { cellsOf, isBlank, type Row, type RowFormat, rowFormatOf } from "./delimited-row.js";
import { canBeHeader, createHeaderJudge, type HeaderJudge } from "./header-judge.js";

/** How the rows of a table are written. */
export interface TableDialect {
  readonly kind: "csv" | "tsv";
  readonly literalQuotes?: true;
}

/** Tabs are looked for first, as fields of TSV hold commas; quotes in TSV often mean nothing. */
export const TABLE_DIALECTS: readonly TableDialect[] = [
  { kind: "tsv" },
  { kind: "tsv", literalQuotes: true },
  { kind: "csv" },
];

/** Rows of a table, its header included. */
const MIN_ROWS = 3;
/** Line ends that may follow the last row, in bytes. */
const MAX_BLANK_BYTES = 1 << 20;

/** What a row is: the first one, a record, a blank line below the records, or the proof that there is no table. */
type Place = "header" | "record" | "blank" | "none";

/** Follows the rows of a text in one dialect, and tells whether they are a table. */
export interface TableCheck {
  readonly format: RowFormat;
  /** Looks at the next row, as `readRow` gives it. After `"none"` nothing more is looked at. */
  take(bytes: Buffer, row: Row): Place;
  /** Records so far. */
  count(): number;
  /** Whether all rows together are a table. */
  isTable(): boolean;
}

/** Creates a check of a text of which nothing has been read. */
export function createTableCheck(dialect: TableDialect): TableCheck {
  const format = rowFormatOf(dialect);
  let columns: number | undefined;
  let judge: HeaderJudge | undefined;
  let count = 0;
  let blankBytes = 0;
  let isOver = false;

  function placeOf(bytes: Buffer, row: Row): Place {
    if (columns === undefined) {
      columns = row.columns;
      if (columns < 2) return "none";
      const header = cellsOf(bytes, row, format);
      if (!canBeHeader(header)) return "none";
      judge = createHeaderJudge(header);
      return "header";
    }
    if (row.columns !== columns || blankBytes > 0) {
      blankBytes += row.next - (row.starts[0] ?? 0);
      return isBlank(bytes, row) && blankBytes <= MAX_BLANK_BYTES ? "blank" : "none";
    }
    count += 1;
    if (judge === undefined || judge.isSure()) return "record";
    judge.take(cellsOf(bytes, row, format));
    return judge.isSure() && !judge.isTable() ? "none" : "record";
  }

  return {
    format,
    take(bytes, row) {
      const place = isOver ? "none" : placeOf(bytes, row);
      isOver ||= place === "none";
      return place;
    },
    count: () => count,
    isTable: () => !isOver && count >= MIN_ROWS - 1 && judge?.isTable() === true,
  };
}

/** What is identified of a table whose rows are known. */
export function tableContent(
  { kind, literalQuotes }: TableDialect,
  records: NonNullable<Content["records"]>,
): TableContent {
  return { kind, records, ...(literalQuotes === true && { literalQuotes }) };
}

export type TableContent = Pick<Content, "kind" | "records" | "literalQuotes">;
