import type { SetPlace } from "../../../types/content.js";
import { safeJson } from "../../../../util/safe-text.js";

const MAX_NAME_CHARACTERS = 40;
/** @source DuckDB, `duckdb_keywords()`, reserved ones and those of types and functions; and schemas. */
export const SQL_WORDS: ReadonlySet<string> = new Set(
  `all analyse analyze and anti any array as asc asof asymmetric at authorization binary both case cast check
    collate collation column columns constraint create cross default deferrable desc describe distinct do else end
    except false fetch for foreign freeze from full glob group having ilike in information_schema initially inner
    intersect into is isnull join lambda lateral leading left like limit main map memory natural not notnull null
    offset on only or order outer overlaps pg_catalog pivot pivot_longer pivot_wider placing positional primary
    qualify references returning right select semi show similar some struct summarize symmetric system table tables
    tablesample temp then to trailing true union unique unpivot using values variadic verbose when where window with`.split(
    /\s+/,
  ),
);

/** Table names that need no quotes, have at most 63 characters, and differ regardless of case. */
export function tableNames(paths: readonly (readonly string[])[]): readonly string[] {
  const taken = new Set(["output"]);
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
    .replaceAll(/[\W_]+/g, "_")
    .replaceAll(/^_|_$/g, "")
    .slice(0, MAX_NAME_CHARACTERS);
  const isName = /^[A-Za-z]/.test(plain);
  const isWord = SQL_WORDS.has(plain.toLowerCase()) || /^(?:duckdb|sqlite|pg)_/i.test(plain);
  return isName && !isWord ? plain : `set${plain === "" ? "" : "_"}${plain}`;
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

const KEYWORDS: ReadonlySet<string> = new Set(
  "and as catch def elif else end foreach if import include label module not or reduce then try __loc__".split(
    " ",
  ),
);

/** Keys are JSON, which escapes backslashes: `\(` cannot interpolate. */
export function jqPath(path: readonly string[]): string {
  if (path.length === 0) return ".";
  return path.map((key) => (IDENTIFIER.test(key) ? `.${key}` : `.${safeJson(key)}`)).join("");
}

export function jqKey(name: string): string {
  return IDENTIFIER.test(name) && !KEYWORDS.has(name) ? name : safeJson(name);
}

export function setPath({ path, isMap }: Pick<SetPlace, "path" | "isMap">): string {
  return jqPath(path) + (isMap ? " | to_entries" : "");
}

const MAX_NAMED = 4;
const MAX_PATH_CHARACTERS = 64;

/** `.orders[] (500), .refunds[] (499)` */
export function setsWithCounts(sets: readonly SetPlace[]): string {
  const named = sets.slice(0, MAX_NAMED).map((set) => `${setPath(set)}[] (${set.count})`);
  const more = sets.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

export function isLongPath(path: string): boolean {
  return path.length > MAX_PATH_CHARACTERS;
}
