import {
  RECORD_COLUMN,
  type SqlColumn,
  sqlColumns,
  type SqlKind,
  type SqlPlace,
} from "../../profile/sql/columns.js";
import type { FieldType, Place } from "../../profile/place.js";
import type { RecordProfile } from "../../profile/profile.js";
import { nameInQuery } from "../../profile/sql/names.js";

/** Longest column name that is shown, in UTF-16 units. */
const MAX_NAME_CHARACTERS = 64;
/** An object with more of them is JSON, but for the record itself. */
const MAX_MEMBERS = 100;
/** Columns that are named for their type. */
const MAX_NAMED = 5;
const KINDS: Readonly<Partial<Record<FieldType, SqlKind>>> = {
  boolean: "boolean",
  integer: "integer",
  number: "number",
  string: "string",
  object: "object",
  array: "array",
};

/**
 * What the table of the records is, beside their fields as they are told elsewhere: its columns are these, but for
 * what is said here. Types come from the records that were looked at; one that others widen is told by the tool.
 */
export function sqlSentence(profile: RecordProfile, rows: boolean): string {
  // All records may be too long to be looked at.
  if (profile.sampledCount === 0 && profile.recordCount > 0)
    return "DESCRIBE output names its columns";
  const columns = sqlColumns(placeOf(profile.root, rows, Infinity));
  if (columns.length === 1 && columns[0] === RECORD_COLUMN)
    return "each record as JSON in the column record";
  const shown = columns.filter(({ name }) => name.length <= MAX_NAME_CHARACTERS);
  const json = shown.filter(({ type }) => type === "JSON");
  const spaced = shown.find(({ name, type }) => type !== "JSON" && nameInQuery(name) !== name);
  const inside = rows ? undefined : nestedName(profile, columns);
  const examples = [
    ...(inside === undefined ? [] : [`inner ones as ${inside}`]),
    ...(spaced === undefined ? [] : [`quote names such as ${nameInQuery(spaced.name)}`]),
    ...jsonExample(json.map(({ name }) => nameInQuery(name))),
  ];
  return `its columns are the fields${examples.length === 0 ? "" : ` (${examples.join("; ")})`}`;
}

/** `Title, left are JSON: Title->>'$'`. */
function jsonExample(names: readonly string[]): readonly string[] {
  const [first] = names;
  if (first === undefined) return [];
  const more = names.length > MAX_NAMED ? [`${names.length - MAX_NAMED} more`] : [];
  const named = [...names.slice(0, MAX_NAMED), ...more].join(", ");
  return [`${named} ${names.length > 1 ? "are" : "is"} JSON: ${first}->>'$'`];
}

/** A field in another one as SQL names it; `undefined` where there is none. */
function nestedName(
  { fields }: Pick<RecordProfile, "fields">,
  columns: readonly SqlColumn[],
): string | undefined {
  const structs = new Set(
    columns.filter(({ type }) => type.startsWith("STRUCT(")).map(({ name }) => name),
  );
  const inside = fields.find(
    ({ path, name }) =>
      path.length === 2 && structs.has(path[0] ?? "") && /^[a-z_]\w*\.[a-z_]\w*$/i.test(name),
  );
  return inside !== undefined && inside.name.length <= MAX_NAME_CHARACTERS
    ? inside.path.map(nameInQuery).join(".")
    : undefined;
}

function placeOf(node: Place, rows: boolean, maxFields = MAX_MEMBERS): SqlPlace {
  const kinds = node.types.flatMap((type) => KINDS[type] ?? []);
  return {
    kinds: new Set(rows ? kinds.map((kind) => kindOfCells(node, kind)) : kinds),
    fields: fieldsOf(node, rows, maxFields),
    items: node.items && placeOf(node.items, rows),
  };
}

/** A map has a member for each of its keys, as long as these are few. */
function fieldsOf(
  { fields, keys, members, lacksKeys }: Place,
  rows: boolean,
  maxFields: number,
): SqlPlace["fields"] {
  if (fields.length > maxFields) return undefined;
  if (members === undefined || keys === undefined)
    return new Map(fields.map((field) => [field.key, placeOf(field, rows)]));
  if (lacksKeys || keys.size > MAX_MEMBERS) return undefined;
  const member = placeOf(members, rows);
  return new Map([...keys.keys()].map((key) => [key, member]));
}

/** Cells are strings; a column of numerals is a number. */
function kindOfCells({ numbersInText }: Place, kind: SqlKind): SqlKind {
  if (kind !== "string") return kind;
  if (numbersInText === "integers") return "integer";
  return numbersInText === "numbers" ? "number" : kind;
}
