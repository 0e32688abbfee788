import {
  RECORD_COLUMN,
  sqlColumns,
  type SqlKind,
  type SqlPlace,
} from "../../profile/sql/columns.js";
import type { Place } from "../../profile/place.js";
import type { RecordProfile } from "../../profile/profile.js";
import { nameInQuery } from "../../profile/sql/names.js";

const MAX_NAME_CHARACTERS = 64;
/** An object with more of them is JSON, but for the record itself. */
const MAX_MEMBERS = 100;
const MAX_NAMED = 5;

/**
 * What the table of the records is: its columns are the fields as they are told elsewhere, but for what is said here. Types
 * come from the records that were looked at.
 */
export function sqlSentence(profile: RecordProfile, rows: boolean): string {
  const { root, fields, sampledCount, recordCount } = profile;
  // All records may be too long to be looked at.
  if (sampledCount === 0 && recordCount > 0) return "DESCRIBE output names its columns";
  const columns = sqlColumns(placeOf(root, rows, Infinity));
  if (columns.length === 1 && columns[0] === RECORD_COLUMN)
    return "its one column, record, has each record as JSON";
  const shown = columns.filter(({ name }) => name.length <= MAX_NAME_CHARACTERS);
  const json = shown.filter(({ type }) => type === "JSON").map(({ name }) => nameInQuery(name));
  const spaced = shown.find(({ name, type }) => type !== "JSON" && nameInQuery(name) !== name);
  const structs = new Set(
    shown.flatMap(({ name, type }) => (type.startsWith("STRUCT(") ? name : [])),
  );
  const inside = fields.find(
    ({ path, name }) =>
      path.length === 2 && structs.has(path[0] ?? "") && /^[a-z_]\w*\.[a-z_]\w{0,64}$/i.test(name),
  );
  const examples = [
    ...(inside === undefined ? [] : [`nested fields as ${inside.path.map(nameInQuery).join(".")}`]),
    ...(spaced === undefined ? [] : [`quote names such as ${nameInQuery(spaced.name)}`]),
    ...jsonExample(json),
  ];
  return `its columns are the fields${examples.length === 0 ? "" : ` (${examples.join("; ")})`}`;
}

function jsonExample(names: readonly string[]): readonly string[] {
  const [first] = names;
  if (first === undefined) return [];
  const more = names.length > MAX_NAMED ? [`${names.length - MAX_NAMED} more`] : [];
  const named = [...names.slice(0, MAX_NAMED), ...more].join(", ");
  return [`${named} ${names.length > 1 ? "are" : "is"} JSON: ${first}->>'$'`];
}

function placeOf(node: Place, rows: boolean, maxFields = MAX_MEMBERS): SqlPlace {
  const kinds = node.types.flatMap((type): SqlKind | [] => {
    if (type === "null") return [];
    return rows && type === "string" ? kindOfCells(node) : type;
  });
  return {
    kinds: new Set(kinds),
    fields: fieldsOf(node, rows, maxFields),
    items: node.items && placeOf(node.items, rows),
  };
}

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

function kindOfCells({ numbersInText }: Place): SqlKind {
  if (numbersInText === "integers") return "integer";
  return numbersInText === "numbers" ? "number" : "string";
}
