import { quotedName } from "./names.js";

export type SqlKind =
  | "boolean"
  | "integer"
  /** An integer of 64 bits that a double does not keep. */
  | "wide"
  /** An integer that takes more than 64 bits. */
  | "huge"
  | "number"
  | "string"
  | "object"
  | "array";

export interface SqlPlace {
  readonly kinds: ReadonlySet<SqlKind>;
  readonly scale?: number;
  /** By key; `undefined` when there were too many, or the place is too deep. */
  readonly fields: ReadonlyMap<string, SqlPlace> | undefined;
  readonly items: SqlPlace | undefined;
}

export interface SqlColumn {
  readonly name: string;
  /** DuckDB's name of the type. */
  readonly type: string;
}

export interface FileColumn extends SqlColumn {
  /** Read as this type, and cast: decimals are text before, since DuckDB makes a double of every fraction of JSON. */
  readonly readAs: string;
}

export const RECORD_COLUMN: FileColumn = { name: "record", type: "JSON", readAs: "JSON" };

const SCALARS: Readonly<Partial<Record<SqlKind, string>>> = {
  boolean: "BOOLEAN",
  integer: "BIGINT",
  wide: "BIGINT",
  huge: "HUGEINT",
  number: "DOUBLE",
  string: "VARCHAR",
};

/** Digits after the point that leave room for 64 bits before it. */
const MAX_SCALE = 15;

const NUMBERS: readonly SqlKind[] = ["integer", "wide", "huge", "number"];

/**
 * The columns of the table: the fields of the records, or each record as one JSON column when some are no
 * objects, have no fields, or have field names that cannot stand side by side as columns.
 */
export function sqlColumns(root: SqlPlace): readonly FileColumn[] {
  const { kinds, fields } = root;
  if (kinds.size !== 1 || !kinds.has("object") || !areNames(fields)) return [RECORD_COLUMN];
  return [...fields].map(([name, place]) => ({
    name,
    type: typeOf(place, (scale) => `DECIMAL(38, ${scale})`),
    readAs: typeOf(place, () => "VARCHAR"),
  }));
}

function areNames(
  fields: ReadonlyMap<string, unknown> | undefined,
): fields is ReadonlyMap<string, SqlPlace> {
  return fields !== undefined && areColumns([...fields.keys()]);
}

export function areColumns(names: readonly string[]): boolean {
  const told = new Set(names.map((name) => name.toLowerCase()));
  return names.length > 0 && told.size === names.length && !names.some(isNoName);
}

function isNoName(name: string): boolean {
  // The library takes an entry of that name for the prototype of a struct.
  return name === "" || name === "__proto__" || name.includes("\0") || !name.isWellFormed();
}

function typeOf(
  { kinds, scale = 0, fields, items }: SqlPlace,
  decimal: (scale: number) => string,
): string {
  const widest = NUMBERS.findLast((kind) => kinds.has(kind));
  const rest = [...kinds].filter((kind) => !NUMBERS.includes(kind));
  const [kind = "string"] = widest === undefined ? rest : [widest, ...rest];
  if (rest.length + (widest === undefined ? 0 : 1) > 1) return "JSON";
  if (kind === "number" && (kinds.has("wide") || kinds.has("huge"))) {
    // Beside a fraction an integer would lose its last digits.
    return kinds.has("huge") || scale > MAX_SCALE ? "JSON" : decimal(scale);
  }
  if (kind === "array") return items === undefined ? "JSON" : `${typeOf(items, decimal)}[]`;
  if (kind !== "object") return SCALARS[kind] ?? "JSON";
  if (!areNames(fields)) return "JSON";
  const members = [...fields].map(
    ([name, place]) => `${quotedName(name)} ${typeOf(place, decimal)}`,
  );
  return `STRUCT(${members.join(", ")})`;
}
