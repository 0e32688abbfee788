import { nearestNames } from "./nearest-names.js";
import type { SqlColumn } from "./sql-columns.js";

/** What helps to say what to write instead. */
interface SqlAttempt {
  readonly columns: readonly SqlColumn[];
}

const MAX_MESSAGE_CHARACTERS = 800;
const MAX_LISTED_COLUMNS = 20;
const MAX_NAME_CHARACTERS = 60;

type Hint = (match: RegExpExecArray, attempt: SqlAttempt) => string;

const HINTS: readonly (readonly [RegExp, Hint])[] = [
  [
    /Permission Error|file system operations are disabled|disabled by configuration/,
    () => "No file, network, extension or setting is within reach: query the table output only.",
  ],
  [/Table with name .* does not exist/, () => "The table is called output."],
  [
    /Referenced (?:column|table) "([^\n]*?)" not found|does not have a column named "([^\n]*?)"|(?:column|Column) "([^\n]*?)" not found|Could not find key "([^\n]*?)"/,
    (match, { columns }) =>
      nearestHint(match.slice(1).find((name) => name !== undefined) ?? "", columns),
  ],
  [
    /No function matches|Cannot (?:compare|mix)|Could not convert|explicit type cast|Cannot extract field/,
    ({ input }, { columns }) =>
      `Convert with TRY_CAST(column AS DOUBLE) or column->>'$.field' for JSON${
        /LIST|\[\]/.test(input) ? ", open lists with unnest(column)" : ""
      }. ${columnList(columns)}`,
  ],
  [
    /syntax error|Parser Error|unterminated/i,
    () => "Names with spaces or special characters take double quotes, text single quotes.",
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
    if (match !== null) return `${short}\n${hint(match, attempt)}`;
  }
  return short;
}

function nearestHint(name: string, columns: readonly SqlColumn[]): string {
  const nearest = nearestNames(
    name,
    columns.map((column) => column.name),
  );
  const meant =
    nearest.length === 0 ? "" : ` Nearest: ${nearest.map((near) => shown(near)).join(", ")}.`;
  return `No column is called ${shown(name)}.${meant} ${columnList(columns)}`;
}

/** The columns with their types, as many as help. */
function columnList(columns: readonly SqlColumn[]): string {
  const listed = columns
    .slice(0, MAX_LISTED_COLUMNS)
    .map(({ name, type }) => `${shown(name)} ${shown(type)}`);
  const more = columns.length > listed.length ? ` and ${columns.length - listed.length} more` : "";
  return `Columns: ${listed.join(", ")}${more}.`;
}

/** A name from the data, safe to stand in a sentence: no control characters, shortened. */
function shown(name: string): string {
  const plain = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
  return plain.length > MAX_NAME_CHARACTERS ? `${plain.slice(0, MAX_NAME_CHARACTERS)}…` : plain;
}
