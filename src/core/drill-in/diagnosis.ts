import type { StoredArtifact } from "../types/artifact.js";
import { isOneDocument, readAs } from "../engines/data-source.js";
import { shorten } from "../../util/safe-text.js";
import { inSlices } from "../../util/slices.js";
import type { DrillInContext } from "./context.js";
import { runJq } from "./run-jq.js";

const MAX_MESSAGE_CHARACTERS = 340;
/** Holds the line that DuckDB quotes, and its mark under it. */
const MAX_PLACE_CHARACTERS = 210;
const MAX_LISTED = 8;
const MAX_NAME_CHARACTERS = 64;
const MAX_NAMES = 400;
const MAX_WORDS = 12;
const WORD = /[\p{L}_][\p{L}\p{N}_]*/gu;
const EMPTY: ReadonlySet<string> = new Set(["null", "[]", "{}"]);

const MAX_LOOK_BYTES = 8 * 1024 * 1024;
const MAX_NAMES_BYTES = 32 * 1024;
const OWN_NAMES = `def name: if test("^[A-Za-z_][A-Za-z0-9_]*$") then . else tojson end;
def members($to): (objects | to_entries[] | {to: ($to + "." + (.key | name)), value}),
  (arrays | .[:20][] | objects | to_entries[] | {to: ($to + "[]." + (.key | name)), value});
[limit(20; inputs) | members("")] | limit(${MAX_NAMES}; .[].to, (.[] | .to as $to | .value | members($to).to))`;

/** May quote data, so the caller escapes control characters. */
export function engineMessage(error: string): string {
  const message = error.trim();
  if (message.length <= MAX_MESSAGE_CHARACTERS) return message;
  const beginning = shorten(message, MAX_MESSAGE_CHARACTERS - MAX_PLACE_CHARACTERS);
  return `${beginning}${message.slice(-MAX_PLACE_CHARACTERS).toWellFormed()}`;
}

export function stoppedAfter({ timeoutMs }: { readonly timeoutMs: number }): string {
  return `${timeoutMs / 1000} s`;
}

export function hasEnvelope({ kind, headerBytes }: StoredArtifact): boolean {
  return kind === "json-object" && headerBytes > 0;
}

export function saysNothing(json: string): boolean {
  return EMPTY.has(json.trim());
}

/** @throws The signal's reason when it aborts. */
export async function fieldsSentence(
  context: DrillInContext,
  query: string,
  artifacts: readonly StoredArtifact[],
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const names: string[] = [];
  for (const artifact of artifacts) {
    // They begin at the document if it has several sets.
    const isOwn = isOneDocument(readAs(artifact)) && artifact.sets === undefined;
    names.push(...(isOwn ? await ownNames(context, artifact, signal) : artifact.fields));
  }
  return await namesSentence(query, [...new Set(names)]);
}

async function ownNames(
  context: DrillInContext,
  artifact: StoredArtifact,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  if (artifact.sizeBytes > MAX_LOOK_BYTES) return [];
  const look = { filter: OWN_NAMES, maxOutputBytes: MAX_NAMES_BYTES };
  try {
    const { output } = await runJq(context, artifact, look, signal);
    return output.split("\n").flatMap((line) => (line === "" ? [] : String(JSON.parse(line))));
  } catch {
    signal?.throwIfAborted();
    return [];
  }
}

/** Nearest to the query first; `undefined` if none are known. */
export async function namesSentence(
  query: string,
  names: readonly string[],
): Promise<string | undefined> {
  if (names.length === 0) return undefined;
  const shown = (await nearestFirst(query, names))
    .slice(0, MAX_LISTED)
    .map((name) => shorten(name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?"), MAX_NAME_CHARACTERS));
  const left = names.length - shown.length;
  return `Known fields, nearest first: ${shown.join(", ")}${left > 0 ? ` and ${left} more` : ""}.`;
}

async function nearestFirst(query: string, names: readonly string[]): Promise<readonly string[]> {
  const words = [...new Set(query.match(WORD) ?? [])].slice(0, MAX_WORDS);
  const known: { readonly name: string; readonly distance: number }[] = [];
  await inSlices(names.slice(0, MAX_NAMES), (name) => {
    const parts = [...new Set([name, ...(name.match(WORD) ?? [])])];
    const distances = words.flatMap((word) => parts.map((part) => nameDistance(word, part)));
    known.push({ name, distance: Math.min(...distances) });
  });
  return (
    known
      // Without words, all are infinitely far.
      .toSorted((one, other) => one.distance - other.distance || 0)
      .map(({ name }) => name)
  );
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function pairsIn(text: string): ReadonlySet<string> {
  const padded = ` ${text} `;
  return new Set(Array.from({ length: text.length + 1 }, (_, at) => padded.slice(at, at + 2)));
}

/**
 * 0 for the same name, `Infinity` for an unrelated one, which shares fewer than half of its pairs of letters.
 * Case and punctuation do not count.
 */
function nameDistance(name: string, candidate: string): number {
  if (Math.max(name.length, candidate.length) > MAX_NAME_CHARACTERS) return Infinity;
  const [pairs, others] = [pairsIn(plain(name)), pairsIn(plain(candidate))];
  const shared = [...pairs].filter((pair) => others.has(pair)).length;
  const likeness = (2 * shared) / (pairs.size + others.size);
  return likeness >= 0.5 ? 1 - likeness : Infinity;
}
