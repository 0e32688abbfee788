import { needsQuotes, quotedName } from "../../profile/sql/names.js";

const MAX_NAME_CHARACTERS = 60;

/** A name from the data, safe to stand in a sentence: no control characters, shortened. */
function shownName(name: string): string {
  const plain = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
  return plain.length > MAX_NAME_CHARACTERS ? `${plain.slice(0, MAX_NAME_CHARACTERS)}…` : plain;
}

/** A column as a query has it: in double quotes where it needs them. */
export function columnInQuery(name: string): string {
  return needsQuotes(name) ? quotedName(shownName(name)) : shownName(name);
}

/** A message of the engine, in which names from the data are as they may be shown. */
export function withShownNames(message: string, names: readonly string[]): string {
  let shown = message;
  for (const name of names) {
    const safe = shownName(name);
    if (safe === name) continue;
    shown = shown.replaceAll(name, () => safe);
    const quoted = name.replaceAll('"', '""');
    if (quoted !== name) shown = shown.replaceAll(quoted, () => safe);
  }
  return shown;
}
