import { type Content, setsOf } from "../../types/content.js";
import type { LiveCursor } from "../../types/output.js";
import { isRecord } from "../../../util/is-record.js";
import { type JsonMember, membersIn } from "../json/json-members.js";
import { jsonOf, someJsonOf } from "../value/any-json.js";

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const NEXT = names(
  "next nextcursor nextpage nextpagetoken nexttoken nexturl nextlink nextpageurl nextmarker nextrecordsurl nextcontinuationtoken continuationtoken continue odatanextlink lastevaluatedkey",
);
/** Ordinary words outside of paging objects: there only an address, or an object, is a cursor. */
const WORDS = names("next continue");
const HAS_MORE = names("hasmore hasnext hasnextpage istruncated more");
/** As they are written by PHP, SQL, Python and clients of XML too. One more is true as well. */
const [TRUE, FALSE] = [/^"?(?:true|1)"?$/i, /^"?(?:false|0)"?$/i];
/** Where a page ends: beside one of those above that is true, the cursor of the next. */
const ENDS = names("endcursor cursor lastid");
/** Beside one of those above, of this page or a count. */
const OWN = names("continuationtoken page");
const OF_PAGES = names(
  "pagination paging page pages pageinfo resultinfo meta metadata responsemetadata links next structuredcontent",
);
const ADDRESSES = names("href url link after startingafter cursor token page");
const [PAGE, PAGES] = [names("page currentpage"), names("totalpages")];
const [OFFSET, LIMIT, TOTAL] = [names("offset startat"), names("limit maxresults"), names("total")];

/** How the text of records begins whose stream was stopped. */
export const INCOMPLETE = '{"complete":false,"note":';

const MAX_DEPTH = 8;
const MAX_CURSOR_CHARACTERS = 8_192;
const NONE = names("0 -1 null none false");

/** The next-page cursor of the largest set that has one, or in a document without records. Never throws. */
export function liveCursorOf(content: Content): LiveCursor | undefined {
  const sets = setsOf(content);
  const [first] = sets;
  if (!first) return content.layout === "document" ? cursorIn(membersIn(content.body)) : undefined;
  // Sets of a document have one envelope.
  const read = membersIn(first.envelope ?? "");
  for (const { path, count } of sets) {
    const cursor = cursorIn(read, path, count);
    if (cursor !== undefined) return cursor;
  }
  return undefined;
}

/**
 * The next-page cursor in a JSON text of at most 256 KiB: beside the records, in the objects around them, and in paging
 * objects such as `pagination`. `has_more: false` means that there is none. Without a cursor, counters of pages or
 * records tell the next. Never throws.
 *
 * @param recordsAt - Keys from the root to the records, if there are any.
 */
export function cursorIn(
  read: ReturnType<typeof membersIn>,
  recordsAt?: readonly string[],
  recordCount: number = 0,
): LiveCursor | undefined {
  const members = read?.((path) => isEntered(path, recordsAt)) ?? [];
  const said = members.filter(({ path }) => isNamed(path, HAS_MORE));
  const more = said.find(({ value }) => TRUE.test(someJsonOf(value)));
  if (more === undefined && said.some(({ value }) => FALSE.test(someJsonOf(value))))
    return undefined;
  const named = members.filter(({ path }) =>
    isNamed(path, nameOf(path.at(-2)) === "next" ? ADDRESSES : NEXT),
  );
  const next = named.filter(({ path }) => named.length === 1 || !isNamed(path, OWN));
  const ends = more === undefined ? [] : members.filter(({ path }) => isNamed(path, ENDS));
  for (const { path, value } of [...next, ...ends]) {
    const isWord = isNamed(path, WORDS) && !OF_PAGES.has(nameOf(path.at(-2)));
    if (isWord && !isRecord(value) && !/^"https?:\/\/|\?/.test(someJsonOf(value))) continue;
    const live = liveValue(value);
    if (live !== undefined) return { path, value: live };
  }
  if (more !== undefined) return { path: more.path, value: true };
  return next.length > 0 || recordCount === 0 ? undefined : counterAmong(members, recordCount);
}

function isEntered(path: readonly string[], recordsAt: readonly string[] = []): boolean {
  if (path.length > MAX_DEPTH) return false;
  const around = path.findIndex(
    (key, index) => index >= recordsAt.length - 1 || key !== recordsAt[index],
  );
  return around === -1 || path.slice(around).every((key) => OF_PAGES.has(nameOf(key)));
}

function liveValue(value: unknown): LiveCursor["value"] | undefined {
  if (typeof value === "number") return value > 0 ? value : undefined;
  if (typeof value === "string") {
    if (!/^\S+$/.test(value) || NONE.has(value.toLowerCase())) return undefined;
    return value.length > MAX_CURSOR_CHARACTERS || value;
  }
  // Such as a database key.
  return isRecord(value) && Object.keys(value).length > 0 ? (jsonOf(value) ?? true) : undefined;
}

/** The first page or offset, if the numbers beside it say that there are more. */
function counterAmong(members: readonly JsonMember[], recordCount: number): LiveCursor | undefined {
  const counters = members.filter(({ value }) => Number.isSafeInteger(value));
  const at = counters.find(({ path }) => isNamed(path, PAGE) || isNamed(path, OFFSET));
  if (at === undefined) return undefined;
  const { path } = at;
  const place = path.slice(0, -1).join();
  const beside = (wished: ReadonlySet<string>): unknown =>
    counters.find(
      (other) => isNamed(other.path, wished) && other.path.slice(0, -1).join() === place,
    )?.value;
  const isPage = isNamed(path, PAGE);
  if (!isPage && beside(LIMIT) !== recordCount) return undefined;
  const next = Number(at.value) + (isPage ? 1 : recordCount);
  // Pages may count from 0: then the last is one less than all.
  return next < Number(beside(isPage ? PAGES : TOTAL)) ? { path, value: next } : undefined;
}

function isNamed(path: readonly string[], wished: ReadonlySet<string>): boolean {
  return wished.has(nameOf(path.at(-1)));
}

export function nameOf(key = ""): string {
  return key
    .slice(key.lastIndexOf("/") + 1)
    .toLowerCase()
    .replaceAll(/[_\-.@$:\s]/g, "");
}
