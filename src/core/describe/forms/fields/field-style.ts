import type { ValueRange } from "../../../profile/extremes.js";
import type { ShapeNode } from "../../../profile/shape.js";

/**
 * What stands beside a type, each with all before it: `?` where records lack the field, how many records lack the field, ranges and how many
 * values differ, how often each of a few values comes, and an example.
 */
const DETAILS = ["types", "lacks", "ranges", "values", "examples"] as const;

/** One of these. */
export type Detail = (typeof DETAILS)[number];

/** How fields are written. */
export interface FieldStyle {
  readonly detail: Detail;
  /** Values of one field that are counted. */
  readonly maxValues: number;
  /** Records that were looked at, and whether others were not. */
  readonly of: number;
  readonly isSample: boolean;
  /** The records are rows of a table: every value is text, and the guidance says so. */
  readonly rows: boolean;
}

/** Whether something of a detail is shown. */
export function shows({ detail }: FieldStyle, least: Detail): boolean {
  return DETAILS.indexOf(detail) >= DETAILS.indexOf(least);
}

/** A count; of a sample the share, since no count of records would be one of the set. */
export function counted(count: number, { isSample, of }: FieldStyle): string {
  if (!isSample) return String(count);
  const share = (100 * count) / Math.max(1, of);
  return share < 1 ? "~<1%" : `~${Math.round(share)}%`;
}

/** A type with the lowest and the highest value. */
export function withRange(type: string, range: ValueRange | undefined, style: FieldStyle): string {
  if (range === undefined || !shows(style, "ranges")) return type;
  const mark = style.isSample ? "~" : "";
  return `${type} ${mark}${range.min === range.max ? range.min : `${range.min}..${range.max}`}`;
}

/** Whether no value comes twice. */
export function uniqueText({ unique }: ShapeNode, style: FieldStyle): string {
  return unique && !style.isSample && shows(style, "ranges") ? ", unique" : "";
}
