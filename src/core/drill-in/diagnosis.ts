import type { StoredArtifact } from "../types/artifact.js";
import { isOneDocument, readAs } from "../engines/data-source.js";
import { nameDistance } from "../../util/nearest-names.js";
import { shorten } from "../../util/safe-text.js";
import { inSlices } from "../../util/slices.js";

const MAX_MESSAGE_CHARACTERS = 260;
const MAX_PLACE_CHARACTERS = 120;
const MAX_LISTED = 8;
const MAX_NAME_CHARACTERS = 64;
const MAX_NAMES = 400;
const MAX_WORDS = 12;
const WORD = /[\p{L}_][\p{L}\p{N}_]*/gu;
const EMPTY: ReadonlySet<string> = new Set(["null", "[]", "{}"]);

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

export async function fieldsSentence(
  query: string,
  artifacts: readonly StoredArtifact[],
): Promise<string | undefined> {
  // Those of several sets begin at the document, but those inside of one are no paths of it.
  const names = artifacts.flatMap((artifact) =>
    isOneDocument(readAs(artifact)) && artifact.sets === undefined ? [] : artifact.fields,
  );
  return await namesSentence(query, [...new Set(names)]);
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
