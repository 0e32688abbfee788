import type { StoredArtifact } from "../../types/artifact.js";
import { keysOfName } from "../../describe/profile/field-name.js";
import { scanFilter } from "./filter.js";
import type { VariableForms } from "./lessons/variable-forms.js";
import type { HoldingArgument } from "../shared/call-printer.js";
import { nearestNames } from "../../util/nearest-names.js";

/** What helps to say what to write instead. */
export interface JqAttempt {
  readonly filter: string;
  readonly artifact: Pick<StoredArtifact, "fields" | "layout">;
  /** Whether the filter runs on each record by itself. */
  readonly seesEachRecord: boolean;
  /** What the outputs are that the filter has as variables. */
  readonly forms: VariableForms | undefined;
  /** The argument that sets jq variables in this tool. */
  readonly variablesName: "args" | "params";
  /** How an entry of an argument is written in this tool; `undefined` when it has no such argument. */
  readonly entry: (name: HoldingArgument, key: string) => string | undefined;
  /** How to see all records at once in this tool; `undefined` where the filter sees one value that is no record. */
  readonly wholeSet: string | undefined;
}

const MAX_LISTED_FIELDS = 12;
const MAX_FIELD_CHARACTERS = 40;

type Hint = (match: RegExpExecArray, attempt: JqAttempt) => string | undefined;

const IS_COMMAND = /^\s*jq\b/;
const FILTER_ALONE = "Pass the filter only, without the jq command, its options and its quotes.";

function syntaxHint(_: RegExpExecArray, { filter }: JqAttempt): string {
  if (IS_COMMAND.test(filter)) return FILTER_ALONE;
  if (filter.includes("'"))
    return 'jq strings take double quotes ("text"), and the filter stands without shell quotes.';
  return 'Check brackets and quotes: jq strings take double quotes ("text"), fields a dot (.name).';
}

function undefinedNameHint(match: RegExpExecArray, { filter, artifact }: JqAttempt): string {
  const name = match[1] ?? "";
  if (name === "jq" && IS_COMMAND.test(filter)) return FILTER_ALONE;
  if (fieldNames(artifact).has(name)) return `For the field write .${name}`;
  return `Text needs double quotes ("${name}"), a field a dot (.${name}).`;
}

/** What takes all records, or begins a filter that does. */
const OVERALL = /\b(?:group|sort|unique|min|max)_by\b|^\s{0,9}(?:map\b|\[?\.\[\])/;

const HINTS: readonly (readonly [RegExp, Hint])[] = [
  [
    /Cannot iterate over null/,
    () =>
      "A field before [] is missing or null in some records: write .field[]? or (.field // [])[]",
  ],
  [
    /Cannot iterate over (string|number|boolean)/,
    (match) => `[] works on arrays and objects, and this is a ${match[1]}.`,
  ],
  [/Cannot index array with/, () => "The value is an array: write .[] before the field."],
  [
    /Cannot index object with number/,
    (_, { wholeSet }) =>
      wholeSet && `The filter sees one record at a time; to pick by position, ${wholeSet}.`,
  ],
  [
    /Cannot index (string|number|boolean) with/,
    (match, { artifact }) =>
      artifact.layout === "text"
        ? 'Each line is a string: take parts of it by capture("(?<name>…)"), match, split or test.'
        : `The value is a ${match[1]} and has no fields: write .field? to pass over it.`,
  ],
  [
    /cannot be (?:sorted|grouped)|is not an array|not an array/,
    (_, { wholeSet }) =>
      wholeSet && `The filter sees one record at a time; to see all, ${wholeSet}.`,
  ],
  [
    /null \(null\)|requires string inputs|cannot be matched|not a string/,
    () =>
      'A value is missing or no string in some records: write (.field // "" | tostring) before it.',
  ],
  [
    /\$(?:__loc__|([A-Za-z_]\w{0,62})) is not defined/,
    (match, { variablesName, entry }) => {
      const name = match[1] ?? "name";
      const own = entry(variablesName, name);
      if (own === undefined) return "Write the value itself in its place.";
      const output = variablesName === "args" ? entry("with", name) : undefined;
      const other = output === undefined ? "" : `; another output in ${output}`;
      return `Pass the variable in ${own}${other}.`;
    },
  ],
  [/([A-Za-z_]\w{0,62})\/\d{1,3} is not defined/, undefinedNameHint],
  [
    /Invalid (?:\\uXXXX )?escape/,
    () =>
      String.raw`In a jq string \u takes four hex digits, two of them for a character beyond them (\ud83d\ude00); otherwise \n, \t, \", \\ and \(…).`,
  ],
  [/syntax error|unexpected|unterminated|not closed|closes nothing/i, syntaxHint],
];

/** Every name in the fields' paths, the paths themselves too. */
function fieldNames({ fields }: Pick<StoredArtifact, "fields">): ReadonlySet<string> {
  return new Set(fields.flatMap((field) => [field, ...keysOfName(field)]));
}

/** What to change after jq's own message, or `undefined` when the message says it all. */
export function hintForError(error: string, attempt: JqAttempt): string | undefined {
  if (attempt.forms?.isMistaken === true && /Cannot index (?:array|object)/.test(error))
    return undefined;
  const overall = OVERALL.exec(attempt.filter)?.[0].trim();
  if (
    overall !== undefined &&
    attempt.wholeSet &&
    attempt.seesEachRecord &&
    /Cannot index/.test(error)
  ) {
    const without = overall === ".[]" ? "leave it out, or " : "";
    return `${overall} sees one record at a time; ${without}to see all, ${attempt.wholeSet}.`;
  }
  for (const [pattern, hint] of HINTS) {
    const match = pattern.exec(error);
    if (match !== null) return hint(match, attempt);
  }
  return undefined;
}

/**
 * What to write for the fields of a filter that no record has, with the nearest names; `undefined`
 * when every field is known, or when the artifact's fields are not.
 */
export function hintForFields({ filter, artifact }: JqAttempt): string | undefined {
  if (artifact.fields.length === 0) return undefined;
  const known = fieldNames(artifact);
  const { fields: used, made } = scanFilter(filter);
  const unknown = [...used].filter((name) => !known.has(name) && !made.has(name)).slice(0, 3);
  if (unknown.length === 0) return undefined;
  const sentences = unknown.map((name) => {
    const nearest = nearestNames(name, [...known]);
    const meant =
      nearest.length === 0 ? "" : `; nearest: ${nearest.map((near) => shown(near)).join(", ")}`;
    return `No sampled record has the field .${shown(name)}${meant}.`;
  });
  return `${sentences.join(" ")} Fields: ${listedFields(artifact)}`;
}

function listedFields({ fields }: Pick<StoredArtifact, "fields">): string {
  const names = fields.slice(0, MAX_LISTED_FIELDS).map((field) => shown(field));
  const more = fields.length > names.length ? ` and ${fields.length - names.length} more` : "";
  return `${names.join(", ")}${more}.`;
}

/** A name from the data, safe to stand in a sentence: no control characters, shortened. */
function shown(name: string): string {
  const plain = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
  return plain.length > MAX_FIELD_CHARACTERS ? `${plain.slice(0, MAX_FIELD_CHARACTERS)}…` : plain;
}
