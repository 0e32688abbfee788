const MAX_NAME_CHARACTERS = 60;
/** Lower case alone is the same name for SQL. */
const PLAIN_NAME = /^[A-Za-z_]\w*$/;

/** Words that are no name of a column without quotes. */
const RESERVED = new Set(
  (
    "all analyse analyze and anti any array as asc asof asymmetric at authorization binary both case cast check " +
    "collate collation column columns constraint create cross default deferrable desc describe distinct do else end " +
    "except false fetch for foreign freeze from full glob group having ilike in initially inner intersect into is " +
    "isnull join lambda lateral leading left like limit map natural not notnull null offset on only or order outer " +
    "overlaps pivot placing positional primary qualify references returning right select semi show similar some " +
    "struct summarize symmetric table tablesample then to trailing true union unique unpivot using variadic verbose " +
    "when where window with"
  ).split(" "),
);

/** Whether SQL takes a word for one of its own where a column could stand. */
export function isReserved(name: string): boolean {
  return RESERVED.has(name.toLowerCase());
}

/** A name from the data, safe to stand in a sentence: no control characters, shortened. */
export function shownName(name: string): string {
  const plain = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
  return plain.length > MAX_NAME_CHARACTERS ? `${plain.slice(0, MAX_NAME_CHARACTERS)}…` : plain;
}

/** Whether a column's name needs double quotes in a query. */
export function needsQuotes(name: string): boolean {
  return !PLAIN_NAME.test(name) || isReserved(name);
}

/** A column as a query has it: in double quotes where it needs them. */
export function columnInQuery(name: string): string {
  return needsQuotes(name) ? `"${shownName(name).replaceAll('"', '""')}"` : shownName(name);
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
