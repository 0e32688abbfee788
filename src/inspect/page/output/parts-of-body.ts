import type { StoredArtifact } from "../../../core/types/artifact.js";
import { grouped, shownLine } from "../format.js";

/** A part of a body that is looked at by itself. */
export interface BodyPart {
  readonly name: string;
  /** Bytes; the end is exclusive. */
  readonly start: number;
  readonly end: number;
  /** Number of its first line in the body, from 1. */
  readonly firstLine: number;
  /** Lines that are expected in it. */
  readonly lines: number;
  readonly isRecords: boolean;
  /** One JSON value. */
  readonly isDocument: boolean;
  /** The first line has the names of columns: it is no record. */
  readonly hasHead?: true;
  readonly unit: "record" | "line";
}

/** What an output can be looked at as: its sets, and all of it. */
export function partsOf(artifact: StoredArtifact): readonly BodyPart[] {
  const { layout, kind, headerBytes, sizeBytes, lineCount, recordCount, sets = [] } = artifact;
  const whole = { start: 0, end: sizeBytes, firstLine: 1, lines: lineCount, unit: "line" } as const;
  if (layout === "records") {
    const lines = recordCount ?? lineCount - 1;
    const firstLine = headerBytes > 0 ? 2 : 1;
    const records = {
      start: headerBytes,
      end: sizeBytes,
      firstLine,
      lines,
      unit: "record",
    } as const;
    return [{ name: "Records", ...records, isRecords: true, isDocument: false }];
  }
  if (layout === "rows" && recordCount === lineCount - 1) {
    const rows = {
      ...whole,
      firstLine: 2,
      lines: recordCount,
      hasHead: true,
      unit: "record",
    } as const;
    return [{ name: "Rows", ...rows, isRecords: true, isDocument: false }];
  }
  const inSets = sets.flatMap(({ path, count, lines }): readonly BodyPart[] => {
    if (lines === undefined) return [];
    const { start, end, firstLine } = lines;
    const name = `${shownLine(path.join("."), 80)}: ${grouped(count)} records`;
    return [
      {
        name,
        start,
        end,
        firstLine,
        lines: count,
        unit: "record",
        isRecords: true,
        isDocument: false,
      },
    ];
  });
  const isDocument = layout === "document" && kind !== "json-lines";
  return [...inSets, { name: "The whole", ...whole, isRecords: false, isDocument }];
}
