import { quotedName } from "./names.js";

export type SqlKind =
  | "boolean"
  | "integer"
  /** A 64-bit integer that a double cannot hold. */
  | "wide"
  /** An integer of more than 64 bits. */
  | "huge"
  | "number"
  | "string"
  | "object"
  | "array";

export interface SqlPlace {
  readonly kinds: ReadonlySet<SqlKind>;
  /** `undefined` if there were too many, or the place is too deep. */
  readonly fields: ReadonlyMap<string, SqlPlace> | undefined;
  readonly items: SqlPlace | undefined;
}

export interface SqlColumn {
  readonly name: string;
  /** DuckDB's name of the type. */
  readonly type: string;
}

export const RECORD_COLUMN: SqlColumn = { name: "record", type: "JSON" };

const SCALARS: Readonly<Partial<Record<SqlKind, string>>> = {
  boolean: "BOOLEAN",
  integer: "BIGINT",
  wide: "BIGINT",
  huge: "HUGEINT",
  number: "DOUBLE",
  string: "VARCHAR",
};

export const MAX_COLUMNS = 1_000;

const NUMBERS: readonly SqlKind[] = ["integer", "wide", "huge", "number"];

/**
 * The columns of a table: the fields of the records, or one JSON column if some records are not objects, have no
 * fields, or their names cannot be columns.
 */
export function sqlColumns({ kinds, fields }: SqlPlace): readonly SqlColumn[] {
  if (kinds.size !== 1 || !kinds.has("object") || !areNames(fields)) return [RECORD_COLUMN];
  return [...fields].map(([name, place]) => ({ name, type: typeOf(place) }));
}

function areNames(
  fields: ReadonlyMap<string, unknown> | undefined,
): fields is ReadonlyMap<string, SqlPlace> {
  return fields !== undefined && areColumns([...fields.keys()]);
}

export function areColumns(names: readonly string[]): boolean {
  const told = new Set(names.map((name) => name.toLowerCase()));
  return (
    names.length > 0 &&
    names.length <= MAX_COLUMNS &&
    told.size === names.length &&
    !names.some(isNoName)
  );
}

function isNoName(name: string): boolean {
  // The library would set the prototype of a struct.
  return name === "" || name === "__proto__" || name.includes("\0") || !name.isWellFormed();
}

function typeOf({ kinds, fields, items }: SqlPlace): string {
  const widest = NUMBERS.findLast((kind) => kinds.has(kind));
  const rest = [...kinds].filter((kind) => !NUMBERS.includes(kind));
  const [kind = "string"] = widest === undefined ? rest : [widest, ...rest];
  if (rest.length + (widest === undefined ? 0 : 1) > 1) return "JSON";
  // As a double, an integer would lose digits.
  if (kind === "number" && (kinds.has("wide") || kinds.has("huge"))) return "JSON";
  if (kind === "array") return items === undefined ? "JSON" : `${typeOf(items)}[]`;
  if (kind !== "object") return SCALARS[kind] ?? "JSON";
  if (!areNames(fields)) return "JSON";
  const members = [...fields].map(([name, place]) => `${quotedName(name)} ${typeOf(place)}`);
  return `STRUCT(${members.join(", ")})`;
}
