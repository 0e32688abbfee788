import type { StoredArtifact } from "../types/artifact.js";
import { nameDistance } from "../../util/nearest-names.js";
import { isRecord } from "../../util/is-record.js";
import { shorten } from "../../util/safe-text.js";
import { isOneDocument, readAs } from "../engines/data-source.js";
import type { DrillInContext } from "./context.js";

/** What a wrong query is answered with costs at most so many tokens. */
export const MAX_DIAGNOSIS_TOKENS = 150;

const MAX_MESSAGE_CHARACTERS = 260;
/** Of the place in the query, where the engine says it at the end. */
const MAX_PLACE_CHARACTERS = 180;
const MAX_LISTED = 12;
const MAX_LISTED_CHARACTERS = 200;
const MAX_NAME_CHARACTERS = 40;
/** Names, and words of the query, that are compared. */
const MAX_NAMES = 400;
const MAX_WORDS = 12;
const WORD = /[\p{L}_][\p{L}\p{N}_]*/gu;

/** Results of jq that are looked at. */
const MAX_RESULTS_CHARACTERS = 65_536;
const EMPTY: ReadonlySet<string> = new Set(["null", "[]", "{}"]);
/** A name that is taken from an object: `.name`, `."name"`, `["name"]`. */
const TAKEN = /(?:\.\s?"?|\[\s?")([\p{L}_][\p{L}\p{N}_]*)/gu;

/** Of a look at a document for its own names. */
const MAX_LOOK_MS = 1500;
const MAX_LOOK_BYTES = 32 * 1024;
/** The names in the first values, those above first; of a list, what is in its first items. */
const OWN_NAMES = String.raw`def name: if test("^[A-Za-z_]\\w*$") then . else tojson end;
def names($depth; $at): if type == "object" then keys_unsorted[] as $key | select(($key | length) <= ${MAX_NAME_CHARACTERS})
    | ($at + ($key | name)) as $to | $to, (if $depth > 1 then .[$key] | names($depth - 1; $to + ".") else empty end)
  elif type == "array" then .[:20][] | names($depth; ($at | rtrimstr(".")) + "[].") else empty end;
[limit(20; inputs)] as $all | limit(${MAX_NAMES}; range(1; 4) as $depth | $all[] | names($depth; ""))`;

/**
 * An engine's own message with its place in the query, both shortened. It may quote the data: whoever shows it escapes
 * control characters.
 */
export function engineMessage(error: string): string {
  const message = error.trim();
  if (message.length <= MAX_MESSAGE_CHARACTERS) return message;
  // DuckDB says it last: LINE 1: … and a caret below.
  const at = message.lastIndexOf("\nLINE ");
  const place = at === -1 ? "" : message.slice(at, at + MAX_PLACE_CHARACTERS).toWellFormed();
  return (
    shorten(message.slice(0, at === -1 ? undefined : at), MAX_MESSAGE_CHARACTERS - place.length) +
    place
  );
}

/** After what a run was stopped, such as `30 s`. */
export function stoppedAfter({ timeoutMs }: { readonly timeoutMs: number }): string {
  return `${timeoutMs / 1000} s`;
}

/** Whether a JSON text is nothing to go on with. */
export function saysNothing(json: string): boolean {
  return EMPTY.has(json.trim());
}

/**
 * Whether results of jq, one a line, are nothing, or `null` alone; `"part"` where a member of each of them is always
 * `null`.
 */
export function isNothing(output: string): "nothing" | "part" | "something" {
  const lines = output === "" ? [] : output.split("\n");
  if (lines.every(saysNothing)) return "nothing";
  if (output.length > MAX_RESULTS_CHARACTERS) return "something";
  const values = lines.flatMap((line): unknown => JSON.parse(line)).filter((one) => one !== null);
  if (values.length === 0) return "nothing";
  const [first] = values;
  const isPart =
    values.every(isRecord) &&
    Object.keys(Object(first)).some((key) => values.every((one) => one[key] === null));
  return isPart ? "part" : "something";
}

/** Whether a query takes a field by a name that is not known. */
export function hasUnknownField(query: string, names: readonly string[]): boolean {
  const known = new Set(names.flatMap((name) => name.match(WORD) ?? []));
  return [...query.matchAll(TAKEN)].some(([, name = ""]) => !known.has(name));
}

/**
 * The names that a query over these outputs may use, as far as they are known: of the records as they were stored, of a
 * document its own.
 *
 * @throws The signal's reason when it aborts.
 */
export async function knownNames(
  context: DrillInContext,
  artifacts: readonly StoredArtifact[],
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const artifact of artifacts) {
    // Of one with several sets the stored names begin at the document, of any other at its records.
    const isOwn = isOneDocument(readAs(artifact)) && artifact.sets === undefined;
    const own = isOwn ? await ownNames(context, artifact, signal) : [];
    names.push(...(own.length > 0 ? own : artifact.fields));
  }
  return [...new Set(names)];
}

async function ownNames(
  context: DrillInContext,
  artifact: StoredArtifact,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  try {
    const { output } = await context.spool.with(artifact, signal, (source) =>
      context.jq().run(
        {
          source,
          ...readAs(artifact),
          filter: OWN_NAMES,
          nullInput: true,
          maxOutputBytes: MAX_LOOK_BYTES,
          timeoutMs: Math.min(MAX_LOOK_MS, context.limits.timeoutMs),
        },
        signal,
      ),
    );
    return output.split("\n").flatMap((line) => (line === "" ? [] : String(JSON.parse(line))));
  } catch {
    signal?.throwIfAborted();
    return [];
  }
}

/**
 * The names that are there, those first that are nearest to the words of the query; `undefined` when none are known.
 * They are known, and not all: records may have others.
 */
export function namesSentence(
  query: string,
  names: readonly string[],
  what = "Known fields",
): string | undefined {
  if (names.length === 0) return undefined;
  const ordered = nearestFirst(query, names);
  const listed: string[] = [];
  let characters = 0;
  for (const name of ordered.slice(0, MAX_LISTED)) {
    const shown = shorten(name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?"), MAX_NAME_CHARACTERS);
    characters += shown.length + 2;
    if (characters > MAX_LISTED_CHARACTERS) break;
    listed.push(shown);
  }
  const left = names.length - listed.length;
  return `${what}, nearest first: ${listed.join(", ")}${left > 0 ? ` and ${left} more` : ""}.`;
}

/** Names in the order of their distance to the words of a query that are no names; as they came where all are. */
function nearestFirst(query: string, names: readonly string[]): readonly string[] {
  const known = names.slice(0, MAX_NAMES).map((name) => ({
    name,
    parts: [...new Set([name, ...(name.match(WORD) ?? [])])],
  }));
  const parts = new Set(known.flatMap((one) => one.parts));
  const words = [...new Set(query.match(WORD) ?? [])].filter((word) => word.length > 1);
  const unknown = words.filter((word) => !parts.has(word)).slice(0, MAX_WORDS);
  const wanted = [...unknown, ...words.filter((word) => parts.has(word))].slice(0, MAX_WORDS);
  const distances = new Map<string, number>();
  for (const { name, parts: own } of known) {
    const all = wanted.flatMap((word, at) =>
      own.map((part) => nameDistance(word, part) + (at < unknown.length ? 0 : 0.5)),
    );
    distances.set(name, Math.min(Infinity, ...all));
  }
  return [...names].toSorted(
    (one, other) => (distances.get(one) ?? Infinity) - (distances.get(other) ?? Infinity) || 0,
  );
}
