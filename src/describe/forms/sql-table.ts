import { type SqlColumn, sqlColumns, type SqlKind, type SqlPlace } from "../profile/sql-columns.js";
import type { FieldType } from "../profile/field-tally.js";
import type { RecordProfile } from "../profile/profile.js";
import type { ShapeNode } from "../profile/shape.js";
import { shorten } from "../../util/safe-text.js";

/** Longest column name that is shown, in UTF-16 units. */
const MAX_NAME_CHARACTERS = 64;
const KINDS: Readonly<Partial<Record<FieldType, SqlKind>>> = {
  boolean: "boolean",
  integer: "integer",
  number: "number",
  string: "string",
  object: "object",
  array: "array",
};

/**
 * The table of the SQL tool as `output(name TYPE, …)`, with at most `maxColumns` columns named. The columns come
 * from the sampled records; a type that others widen is told by the tool.
 */
export function sqlTable(profile: RecordProfile, maxColumns: number, rows: boolean): string {
  const columns = sqlColumns(placeOf(profile.root, rows));
  const shown = columns
    .filter(({ name }) => name.length <= MAX_NAME_CHARACTERS)
    .slice(0, Math.max(1, maxColumns));
  const hidden = columns.length - shown.length + profile.root.omittedFields;
  const named = shown.map(columnText);
  return `output(${[...named, ...(hidden > 0 ? [`… ${hidden} more`] : [])].join(", ")})`;
}

/** Members of a `STRUCT` stand in the schema of the lines; here its name is enough. */
function columnText({ name, type }: SqlColumn): string {
  const plain = /^[A-Za-z_]\w*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
  const isStruct = type.startsWith("STRUCT(");
  let end = type.length;
  while (type.endsWith("[]", end)) end -= 2;
  const lists = type.slice(end);
  return `${plain} ${isStruct ? `STRUCT${lists}` : shorten(type, MAX_NAME_CHARACTERS)}`;
}

function placeOf(node: ShapeNode, rows: boolean): SqlPlace {
  const kinds = node.types.flatMap((type) => KINDS[type] ?? []);
  return {
    kinds: new Set(rows ? kinds.map((kind) => kindOfCells(node, kind)) : kinds),
    fields: new Map(node.fields.map((field) => [field.path.at(-1) ?? "", placeOf(field, rows)])),
    items: node.items && placeOf(node.items, rows),
  };
}

/** Cells are strings; a column of numerals is a number. */
function kindOfCells({ values, numeric }: ShapeNode, kind: SqlKind): SqlKind {
  if (kind !== "string" || !numeric) return kind;
  const isWhole = values?.every(({ value }) => /^-?\d*$/.test(String(value))) ?? false;
  return isWhole ? "integer" : "number";
}
