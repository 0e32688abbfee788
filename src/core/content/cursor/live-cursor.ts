import { type Content, type RecordSet, setsOf } from "../../types/content.js";
import type { LiveCursor } from "../../types/output.js";
import { isRecord } from "../../../util/is-record.js";
import { type JsonMember, membersIn } from "../json/json-members.js";
import { jsonOf } from "../value/any-json.js";

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const NEXT = names(
  "next nextcursor nextpage nextpagetoken nexttoken nexturl nextlink nextpageurl nextoffset nextmarker " +
    "nextrecordsurl nextpageuri nextcontinuationtoken continuationtoken continue odatanextlink lastevaluatedkey",
);
/** Ordinary words outside of paging objects. */
const WORDS = names("next continue");
const OFFSETS = names("nextoffset");
const HAS_MORE = names("hasmore hasnext hasnextpage istruncated more");
/** Where a page ends: beside one of those above that is true, the cursor of the next. */
const ENDS = names("endcursor cursor lastid");
const OF_PAGES = names(
  "pagination paging page pages pageinfo resultinfo meta metadata responsemetadata links next structuredcontent",
);
const ADDRESSES = names("href url link after startingafter cursor token page");
const [PAGE, PAGES] = [names("page currentpage"), names("totalpages")];
const [OFFSET, SIZE] = [names("offset startat"), names("limit perpage pagesize maxresults size")];
const TOTAL = names("total totalcount totalresults");

/** How the text of records begins whose stream was stopped. */
export const INCOMPLETE = '{"complete":false,"note":';

const MAX_DEPTH = 8;
/** Each set has it read once more. */
const MAX_ENVELOPE_OF_SETS = 65_536;
const MAX_CURSOR_CHARACTERS = 8_192;
const NONE = names("0 -1 null none false");

/**
 * The next-page cursor in the envelope of the records, or in a document without records. In a list it may be the last
 * record, if that shares no key with the first one. Never throws.
 */
export function liveCursorOf(content: Content): LiveCursor | undefined {
  const sets = setsOf(content);
  const [records] = sets;
  if (records === undefined)
    return content.layout === "document" ? cursorIn(content.body, undefined) : undefined;
  const { envelope } = records;
  if (envelope === undefined) return cursorInLast(records, content);
  for (const { path, count } of envelope.length > MAX_ENVELOPE_OF_SETS ? [records] : sets) {
    const cursor = cursorIn(envelope, path, count);
    if (cursor !== undefined) return cursor;
  }
  return undefined;
}

function cursorInLast(records: RecordSet, { kind, complete }: Content): LiveCursor | undefined {
  const { count, sampleCount } = records;
  const isList = kind === "json-lines" || kind === "json-array";
  if (!isList || complete === false || count < 2 || sampleCount !== undefined) return undefined;
  const last = records.at(count - 1);
  const [known = [], keys = []] = [records.at(0), last].map((line) =>
    membersIn(line, (path) => path.length === 0)?.map(({ path: [key] }) => key),
  );
  return known.length > 0 && !keys.some((key) => known.includes(key))
    ? cursorIn(last, [])
    : undefined;
}

/**
 * The next-page cursor in a JSON text of at most 1 MiB: beside the records, in the objects around them, and in paging
 * objects such as `pagination`. `has_more: false` means that there is none. Without a cursor, page counters count if
 * they agree with the number of records. Never throws.
 *
 * @param recordsAt - Keys from the root to the records, if there are any.
 */
export function cursorIn(
  json: string | Uint8Array,
  recordsAt: readonly string[] | undefined,
  recordCount: number = 0,
): LiveCursor | undefined {
  const members = membersIn(json, (path) => isEntered(path, recordsAt)) ?? [];
  const named = (wished: ReadonlySet<string>): readonly JsonMember[] =>
    members.filter(({ path }) => isNamed(path, wished));
  const said = named(HAS_MORE);
  const more = said.find(({ value }) => value === true);
  if (more === undefined && said.some(({ value }) => value === false)) return undefined;
  const next = members.filter(({ path }) =>
    isNamed(path, nameOf(path.at(-2)) === "next" ? ADDRESSES : NEXT),
  );
  const [total] = named(TOTAL);
  for (const { path, value } of more === undefined ? next : [...next, ...named(ENDS)]) {
    const isEnd = isNamed(path, OFFSETS) && Number(value) >= Number(total?.value);
    const isWord = isNamed(path, WORDS) && !OF_PAGES.has(nameOf(path.at(-2)));
    if (isEnd || (isWord && !isAddress(value, recordsAt !== undefined))) continue;
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

/** What an ordinary word has as a cursor, and as something else has not. */
function isAddress(value: unknown, isBesideRecords: boolean): boolean {
  if (typeof value !== "string") return isRecord(value);
  return /^https?:\/\/|\?/.test(value) || (isBesideRecords && /\d/.test(value));
}

function liveValue(value: unknown): LiveCursor["value"] | undefined {
  // A double cannot hold larger ones.
  if (typeof value === "number")
    return value > 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
  if (typeof value === "string") {
    if (!/^\S+$/.test(value) || NONE.has(value.toLowerCase())) return undefined;
    return value.length > MAX_CURSOR_CHARACTERS || value;
  }
  // Such as a database key.
  return isRecord(value) && Object.keys(value).length > 0 ? (jsonOf(value) ?? true) : undefined;
}

/** The first page or offset, if what is beside it says that there are more. */
function counterAmong(members: readonly JsonMember[], recordCount: number): LiveCursor | undefined {
  const counters = members.filter(({ value }) => Number.isSafeInteger(value) && Number(value) >= 0);
  const at = counters.find(({ path }) => isNamed(path, PAGE) || isNamed(path, OFFSET));
  if (at === undefined) return undefined;
  const { path } = at;
  const valueOf = (wished: ReadonlySet<string>): number =>
    Number(
      counters.find((other) => isNamed(other.path, wished) && isBeside(other.path, path))?.value,
    );
  const [isPage, size] = [isNamed(path, PAGE), valueOf(SIZE)];
  if (size !== recordCount && !(isPage && Number.isNaN(size))) return undefined;
  const next = Number(at.value) + (isPage ? 1 : recordCount);
  // Pages may count from 0: then the last is one less than all.
  return next < valueOf(isPage ? PAGES : TOTAL) ? { path, value: next } : undefined;
}

function isBeside(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.slice(0, -1).every((key, at) => key === other[at]);
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
