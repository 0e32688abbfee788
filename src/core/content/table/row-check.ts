import { BYTES_BETWEEN_PAUSES, pause } from "../../../util/pause.js";
import { createRowCutter } from "./row-cutter.js";
import { sampledRecords } from "../stream/sampled-records.js";
import { createSpreadSample } from "../stream/spread-sample.js";
import {
  createTableCheck,
  TABLE_DIALECTS,
  tableContent,
  type TableContent,
  type TableDialect,
} from "./table-check.js";

/** Tells whether a text that comes in blocks is a table, as {@link identifyRows} tells of a whole one. */
export interface RowCheck {
  /** Looks at the next bytes, which may be overwritten afterwards; free once they were no table. */
  take(block: Buffer): Promise<void>;
  /**
   * The table with a sample of its rows; `undefined` when there is none.
   *
   * @param isComplete - Whether the text is; default `true`. What follows the last line end of another one is no row.
   */
  end(isComplete?: boolean): Promise<FoundRows | undefined>;
}

/** A table, and how many bytes of the text after it are a row that has only begun. */
interface FoundRows extends TableContent {
  readonly unfinishedBytes: number;
}

const MAX_SAMPLED_ROWS = 2_000;
const MAX_SAMPLED_BYTES = 4_194_304;
const NOTHING = Buffer.alloc(0);

/** Creates a check of a text of which nothing has come. Memory is that of the longest row and of the sample. */
export function createRowCheck(): RowCheck {
  const tables = TABLE_DIALECTS.map(readTable);
  return {
    async take(block) {
      for (const table of tables) await table.take(block, false);
    },
    async end(isComplete = true) {
      for (const table of tables) {
        if (isComplete) await table.take(NOTHING, true);
        const content = table.content();
        if (content !== undefined) return { ...content, unfinishedBytes: table.restBytes() };
      }
      return undefined;
    },
  };
}

function readTable(dialect: TableDialect): {
  take(block: Buffer, isLast: boolean): Promise<void>;
  content(): TableContent | undefined;
  restBytes(): number;
} {
  const check = createTableCheck(dialect);
  const cutter = createRowCutter(check.format);
  const sample = createSpreadSample<string>(MAX_SAMPLED_ROWS, MAX_SAMPLED_BYTES);
  let isNone = false;

  return {
    async take(block, isLast) {
      if (isNone) return;
      let bytesSincePause = 0;
      for (const { bytes, row } of cutter.take(block, isLast)) {
        const place = check.take(bytes, row);
        isNone = place === "none";
        if (isNone) return;
        const [start = 0] = row.starts;
        const index = check.count() - 1;
        if (place === "record" && sample.wants(index))
          sample.add(index, bytes.toString("utf8", start, row.end), row.end - start);
        bytesSincePause += row.next - start;
        if (bytesSincePause < BYTES_BETWEEN_PAUSES) continue;
        await pause();
        bytesSincePause = 0;
      }
      isNone = cutter.isBroken();
    },
    restBytes: () => cutter.restBytes(),
    content() {
      if (isNone || !check.isTable()) return undefined;
      return tableContent(dialect, sampledRecords(sample.items(), check.count()));
    },
  };
}
