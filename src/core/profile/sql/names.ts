const PLAIN_NAME = /^[A-Za-z_]\w*$/;

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

export function needsQuotes(name: string): boolean {
  return !PLAIN_NAME.test(name) || RESERVED.has(name.toLowerCase());
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function nameInQuery(name: string): string {
  return needsQuotes(name) ? quotedName(name) : name;
}
