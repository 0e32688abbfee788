/** The table of what a document has beside its sets, as one row. */
export const REST_TABLE = "rest";

const MAX_NAME_CHARACTERS = 40;
/** Names that mean something else: the table of an output with one set, and that of the rest. */
const TAKEN: readonly string[] = ["output", REST_TABLE];
/** Words that are no name of a table without quotes, and schemas. @source DuckDB, `duckdb_keywords()`, reserved ones. */
const WORDS: ReadonlySet<string> = new Set(
  (
    "all analyse analyze and any array as asc asymmetric at both case cast check collate column constraint create " +
    "default deferrable desc describe distinct do else end except false fetch for foreign from full group having in " +
    "initially inner intersect into is isnull join lambda lateral leading left like limit main memory natural not " +
    "notnull null offset on only or order outer overlaps pivot pivot_longer pivot_wider placing positional primary " +
    "qualify references returning right select semi show similar some summarize symmetric system table temp then to " +
    "trailing true union unique unpivot using values variadic when where window with anti asof cross glob ilike " +
    "tables columns pg_catalog information_schema"
  ).split(" "),
);

/**
 * A table's name for each path: its keys with `_` between them and for all that is no letter, digit or `_`. Names can
 * be written without quotes, are at most 63 characters long, and differ in more than upper case.
 */
export function tableNames(paths: readonly (readonly string[])[]): readonly string[] {
  const taken = new Set(TAKEN);
  return paths.map((path) => {
    const plain = nameOf(path);
    let name = plain;
    for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${plain}_${number}`;
    taken.add(name.toLowerCase());
    return name;
  });
}

function nameOf(path: readonly string[]): string {
  const keys = path.map((key) => key.slice(0, MAX_NAME_CHARACTERS));
  const plain = keys
    .join("_")
    .split(/[\W_]+/)
    .filter((word) => word !== "")
    .join("_")
    .slice(0, MAX_NAME_CHARACTERS);
  const isName = /^[A-Za-z]/.test(plain);
  const isWord = WORDS.has(plain.toLowerCase()) || /^(?:duckdb|sqlite|pg)_/i.test(plain);
  return isName && !isWord ? plain : `set${plain === "" ? "" : "_"}${plain}`;
}
