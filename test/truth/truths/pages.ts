import { type Evidence, isObject, memberOf } from "./evidence.js";
import { textOf } from "../grammar/scanner.js";

/** Names without case and what joins their words. */
function plain(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z\d]/g, "");
}

/** Members that mean another page by themselves. */
const NEXT = /^next|continuation|lastevaluatedkey|odatanextlink|scrollid|bookmark/;
const HAS_MORE = /^(?:has(?:more|next)|istruncated|more(?:available|results|pages)?$)/;
const PAGE = /^(?:x?page|pagenumber|pagenum|pageno|currentpage|pageindex|number)$/;
const PAGES = /^(?:x?totalpages?|pagecount|pages|numpages|lastpage|nbpages|pagetotal)$/;
const SIZE = /^(?:limit|x?perpage|pagesize|maxresults|itemsperpage|hitsperpage)$/;
const OFFSET = /^(?:offset|startat|startindex|skip|startrow)$/;
const TOTAL =
  /^(?:x?total|totalcount|totalresults|totalitems|totalrecords|totalelements|totalhits|numfound|nbhits)$/;

/** Whether there is a next page, and its cursor is the one that is told. */
export function nextPageTruth(
  path: string,
  cursor: unknown,
  { document }: Evidence,
): string | undefined {
  const found = memberAt(document, path.split("."));
  if (found === undefined) return "no member is there";
  const { holder, key, value, above } = found;
  const around = [holder, ...above];
  const told = around
    .flatMap((one) => Object.entries(one))
    .find(([name, member]) => HAS_MORE.test(plain(name)) && typeof member === "boolean");
  if (told?.[1] === false) return `${told[0]} is false`;
  if (cursor === true) return told?.[1] === true ? undefined : "nothing says that there is more";
  const shown = textOf(cursor);
  const text = isObject(value) ? JSON.stringify(value) : textOf(value);
  const isValue = shown.endsWith("…")
    ? text.startsWith(shown.slice(0, -1))
    : text === shown || text.includes(shown);
  if (isValue && (NEXT.test(plain(key)) || told?.[1] === true)) return undefined;
  if (isValue) return cursorTruth(key, around);
  return counterTruth(key, Number(value), Number(cursor), holder);
}

/** A cursor of another name, such as `after`: beside a page before it and no page after it, it is where this one ends. */
function cursorTruth(key: string, around: readonly object[]): string | undefined {
  const names = around.flatMap((one) => Object.keys(one)).map(plain);
  const isLast =
    names.some((name) => name.startsWith("prev")) && !names.some((name) => name.startsWith("next"));
  return isLast ? "there is a previous page and no next one" : undefined;
}

/** A counter with one more: it counts pages, of which there are more, or records, of which there are. */
function counterTruth(
  key: string,
  value: number,
  cursor: number,
  holder: object,
): string | undefined {
  const of = (wished: RegExp): number | undefined => {
    const found = Object.entries(holder).find(([name]) => wished.test(plain(name)))?.[1] as unknown;
    return found === undefined ? undefined : Number(found);
  };
  const [pages, size, total] = [of(PAGES), of(SIZE), of(TOTAL)];
  if (PAGE.test(plain(key)) && cursor === value + 1) {
    const all =
      pages ?? (size !== undefined && total !== undefined ? Math.ceil(total / size) : undefined);
    if (all !== undefined) return cursor <= all ? undefined : `${all} pages in all`;
  }
  if (OFFSET.test(plain(key)) && total !== undefined)
    return cursor < total ? undefined : `${total} in all`;
  return `${key} ${value} speaks of no page`;
}

interface Member {
  readonly holder: object;
  readonly key: string;
  readonly value: unknown;
  readonly above: readonly object[];
}

/** The member at keys that were joined by dots, of which some may have dots themselves. */
function memberAt(
  value: unknown,
  parts: readonly string[],
  above: readonly object[] = [],
): Member | undefined {
  for (let count = 1; count <= parts.length; count += 1) {
    const key = parts.slice(0, count).join(".");
    const member = memberOf(value, key);
    if (member === undefined) continue;
    if (count === parts.length) return { holder: value as object, key, value: member, above };
    const inside = memberAt(member, parts.slice(count), [value as object, ...above].slice(0, 1));
    if (inside !== undefined) return inside;
  }
  return undefined;
}
