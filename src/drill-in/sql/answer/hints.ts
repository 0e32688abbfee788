import { nearestNames } from "../../../util/nearest-names.js";
import { RECORD_COLUMN, type SqlColumn } from "../../../describe/profile/sql/columns.js";
import { OWN_NAME, type SqlTableColumns } from "../job.js";
import { columnInQuery, shownName } from "../shown-name.js";
import { syntaxHint } from "./syntax-hint.js";

/** What helps to say what to write instead. */
interface SqlAttempt {
  readonly query: string;
  readonly tables: readonly SqlTableColumns[];
  /** How another output is passed under a name; `undefined` where none can be. */
  readonly withOutput: (name: string) => string | undefined;
  /** Names of the outputs that the call has beside its own. */
  readonly others: readonly string[];
}

const MAX_MESSAGE_CHARACTERS = 800;
const MAX_LISTED_COLUMNS = 20;
const MAX_BEFORE_CHARACTERS = 12;
/** What stands before a value that something is compared with. */
const COMPARES = /(?:[=<>]|\b(?:like|ilike|in)[ (]{1,3})\s{0,3}$/i;
/** The members of an object, however many. */
const STRUCT = /^STRUCT\([\s\S]*\)/;

type Hint = (match: RegExpExecArray, attempt: SqlAttempt) => string | undefined;

const HINTS: readonly (readonly [RegExp, Hint])[] = [
  [/^There is no function `/, () => "Names stand in double quotes, and not between backticks."],
  [
    /Malformed JSON/,
    (_, { tables }) => {
      const json = tables.flatMap(({ columns }) => columns.filter(({ type }) => type === "JSON"));
      const [name = "column"] = json.map((column) => columnInQuery(column.name));
      return `A JSON column is no text: write ${name}->>'$' where you compare it. ${columnLists(tables)}`;
    },
  ],
  [
    /^There is no function \S+ here\.$|Permission Error|file system operations are disabled|disabled by configuration/,
    (_, attempt) =>
      `No file, network, extension or setting is within reach: query ${tableNames(attempt)} only.`,
  ],
  [
    /Table with name ([A-Za-z]\w{0,62}) does not exist|Table with name/,
    ([, name = "b"], attempt) => {
      const { length } = attempt.tables;
      const there = `The table${length > 1 ? "s are" : " is"} called ${listOf(namesOf(attempt))}`;
      // The name of every output with one set is nobody's here.
      const given = [OWN_NAME, ...attempt.others].map((one) => one.toLowerCase());
      if (given.includes(name.toLowerCase())) return `${there}.`;
      const other = attempt.withOutput(name);
      return other === undefined
        ? `${there}.`
        : `${there}; another output becomes one in ${other}.`;
    },
  ],
  [
    /Cannot extract field '([^\n]{0,200}?)' from expression "([^\n]{0,200}?)" because/,
    ([, field = "", name = ""], { tables }) => fieldHint(field, name, tables),
  ],
  [
    /Could not find key "([^\n]{0,200}?)" in struct\s{1,8}Candidate Entries: ([^\n]{0,800})/,
    ([, key = "", entries = ""]) => {
      const dotted = entries.split(", ").find((entry) => entry.startsWith(`"${key}.`));
      return dotted && `A key has the dot in it: write ${dotted} as one name in double quotes.`;
    },
  ],
  [
    /Referenced (?:column|table) "([^\n]{0,200}?)" not found|does not have a column named "([^\n]{0,200}?)"|(?:column|Column) "([^\n]{0,200}?)" not found/,
    (match, { query, tables }) => {
      const name = match.slice(1).find((one) => one !== undefined) ?? "";
      return textHint(name, query) ?? nearestHint(name, tables, match.input.includes("Candidate "));
    },
  ],
  [
    / when casting from source column ([^\n]{1,60})/,
    ({ input, 1: name = "" }, attempt) => {
      const isWhole = ["to numerical: {", "to numerical: ["].some((text) => input.includes(text));
      if (isWhole && attempt.query.includes("->"))
        return "AND and OR bind before -> and ->>: write each (column->>'$.field' = …) in brackets.";
      if (!input.includes("Could not convert string")) return convertHint(input, attempt);
      const column = columnInQuery(name);
      return `${column} is text: compare it with text in single quotes, or write TRY_CAST(${column} AS DOUBLE).`;
    },
  ],
  [
    /'json_extract\(\w{4,7}, BOOLEAN\)'/,
    () => "A comparison binds before ->: write (column->'$.field') in brackets before it, or ->>.",
  ],
  [
    /No function matches|Cannot (?:compare|mix)|Could not convert|explicit type cast|Cannot extract field/,
    ({ input }, attempt) => convertHint(input, attempt),
  ],
  [
    /syntax error|Parser Error|unterminated/i,
    ({ input }, { query, tables }) => syntaxHint(input, query, tables),
  ],
];

/** DuckDB's message, shortened, and what to change; only the message when it says it all. */
export function explainSqlError(error: string, attempt: SqlAttempt): string {
  const message = error.trim();
  const short =
    message.length <= MAX_MESSAGE_CHARACTERS
      ? message
      : `${message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed()}…`;
  for (const [pattern, hint] of HINTS) {
    const match = pattern.exec(error);
    if (match === null) continue;
    const told = hint(match, attempt);
    return told === undefined ? short : `${short}\n${told}`;
  }
  return short;
}

function namesOf({ tables }: SqlAttempt): readonly string[] {
  return tables.map(({ name }) => name);
}

function listOf(names: readonly string[]): string {
  const [last = "output"] = names.slice(-1);
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}

function tableNames(attempt: SqlAttempt): string {
  const names = namesOf(attempt);
  return `the table${names.length > 1 ? "s" : ""} ${listOf(names)}`;
}

function convertHint(error: string, { tables }: SqlAttempt): string {
  const lists = /LIST|\[\]/.test(error) ? ", open lists with unnest(column)" : "";
  // Functions of numbers name DOUBLE among what they take.
  const isOfTime = /\b(?:DATE|TIMESTAMP|INTERVAL)\b/.test(error) && !/\bDOUBLE\b/.test(error);
  return `Convert with TRY_CAST(column AS ${isOfTime ? "TIMESTAMP" : "DOUBLE"}) or column->>'$.field' for JSON${lists}. ${columnLists(tables)}`;
}

/** How the fields are reached of what is no object. */
function fieldHint(field: string, name: string, tables: readonly SqlTableColumns[]): string {
  const owner = tables.find(({ columns }) => columns.some((column) => column.name === name));
  const type = owner?.columns.find((column) => column.name === name)?.type ?? "";
  const column = columnInQuery(name);
  if (owner !== undefined && type.endsWith("[]")) {
    const item = owner.columns.some((one) => one.name === "item") ? "list_item" : "item";
    return `${column} is a list: write FROM ${owner.name}, unnest(${column}) AS t(${item}), and ${item}.${columnInQuery(field)}.`;
  }
  return type === "VARCHAR"
    ? `${column} is text; where it is JSON, write ${column}->>'$.${shownName(field)}'.`
    : `${column} has no fields. ${columnLists(tables)}`;
}

/** For a name in double quotes that is compared with something: it may be a text. */
function textHint(name: string, query: string): string | undefined {
  const at = query.indexOf(`"${name}"`);
  const before = at === -1 ? "" : query.slice(Math.max(0, at - MAX_BEFORE_CHARACTERS), at);
  if (!COMPARES.test(before)) return undefined;
  const text = shownName(name).replaceAll("'", "''");
  return `In double quotes stands the name of a column; a text has single quotes: '${text}'.`;
}

function nearestHint(
  name: string,
  tables: readonly SqlTableColumns[],
  areNamed: boolean,
): string | undefined {
  const names = tables.flatMap(({ columns }) => columns.map((column) => column.name));
  const nearest = nearestNames(name, [...new Set(names)]);
  const meant =
    nearest.length === 0
      ? ""
      : ` Nearest: ${nearest.map((near) => placed(near, tables)).join(", ")}.`;
  const whole = tables.find(({ columns }) => columns.every(isRecord));
  if (whole !== undefined) {
    const field = /^\w{1,60}$/.test(name) ? name : "field";
    return `The table ${whole.name} has each record as JSON: write record->>'$.${field}'.${meant}`;
  }
  // DuckDB has named what it takes for the nearest.
  if (meant === "" && areNamed) return undefined;
  return `No column is called ${shownName(name)}.${meant || ` ${columnLists(tables)}`}`;
}

function isRecord({ name, type }: SqlColumn): boolean {
  return name === RECORD_COLUMN.name && type === RECORD_COLUMN.type;
}

/** A column, of several tables with the one that has it. */
function placed(column: string, tables: readonly SqlTableColumns[]): string {
  const owner = tables.find(({ columns }) => columns.some(({ name }) => name === column));
  return tables.length === 1 || owner === undefined
    ? columnInQuery(column)
    : `${owner.name}.${columnInQuery(column)}`;
}

/** The columns of each table. */
function columnLists(tables: readonly SqlTableColumns[]): string {
  const isOne = tables.length === 1;
  return tables
    .map(({ name, columns }) => `Columns${isOne ? "" : ` of ${name}`}: ${columnList(columns)}`)
    .join(" ");
}

/** Columns with their types, as many as help. */
function columnList(columns: readonly SqlColumn[]): string {
  const listed = columns
    .slice(0, MAX_LISTED_COLUMNS)
    .map(({ name, type }) => `${columnInQuery(name)} ${shownName(type.replace(STRUCT, "STRUCT"))}`);
  const more = columns.length > listed.length ? ` and ${columns.length - listed.length} more` : "";
  return `${listed.join(", ")}${more}.`;
}
