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
const WORDS = names("next continue");
const OFFSETS = names("nextoffset");
const HAS_MORE = names("hasmore hasnext hasnextpage istruncated more");
const COMPANIONS = names("endcursor cursor lastid marker");
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
    membersIn(line, (path) => path.length === 0)?.flatMap(({ path: [key = ""] }) => key),
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
  recordCount?: number,
): LiveCursor | undefined {
  const members = membersIn(json, (path) => isEntered(path, recordsAt)) ?? [];
  const said = members.filter(({ path }) => isNamed(path, HAS_MORE));
  const more = said.find(({ value }) => value === true);
  if (more === undefined && said.some(({ value }) => value === false)) return undefined;
  const next = members.filter(({ path }) => isNamed(path, isIn(path, "next") ? ADDRESSES : NEXT));
  const total = members.find(({ path }) => isNamed(path, TOTAL))?.value;
  for (const member of next) {
    const isEnd = isNamed(member.path, OFFSETS) && Number(member.value) >= Number(total);
    const isWord = isNamed(member.path, WORDS) && !isBesideCounters(member, members);
    const cursor = isEnd ? undefined : liveIn(member, recordsAt !== undefined, isWord);
    if (cursor !== undefined) return cursor;
  }
  if (more !== undefined) {
    const companion = members.find(({ path }) => isNamed(path, COMPANIONS));
    const cursor = companion && liveIn(companion, true, false);
    return cursor ?? { path: more.path, value: true };
  }
  if (next.length > 0 || recordsAt === undefined || !recordCount) return undefined;
  return counterAmong(members, recordCount);
}

function isEntered(path: readonly string[], recordsAt: readonly string[] = []): boolean {
  if (path.length > MAX_DEPTH) return false;
  const around = path.findIndex(
    (key, index) => index >= recordsAt.length - 1 || key !== recordsAt[index],
  );
  return around === -1 || path.slice(around).every((key) => OF_PAGES.has(nameOf(key)));
}

/** Outside of paging objects, `next` may be an ordinary word. */
function isBesideCounters({ path }: JsonMember, members: readonly JsonMember[]): boolean {
  if (OF_PAGES.has(nameOf(path.at(-2)))) return true;
  return members.some(
    (other) =>
      other.path.length === path.length &&
      other.path.at(-2) === path.at(-2) &&
      (isNamed(other.path, PAGE) || isNamed(other.path, OFFSET)),
  );
}

/** @param isWord - Whether its name may be an ordinary word. */
function liveIn(
  { path, value }: JsonMember,
  isBesideRecords: boolean,
  isWord: boolean,
): LiveCursor | undefined {
  if (typeof value === "number") {
    // A double cannot hold larger ones.
    return !isWord && value > 0 && value <= Number.MAX_SAFE_INTEGER ? { path, value } : undefined;
  }
  if (typeof value === "string") {
    const isAddress = /^https?:\/\/|\?/.test(value) || (isBesideRecords && /\d/.test(value));
    const isOne = /^\S+$/.test(value) && !NONE.has(value.toLowerCase());
    if (!isOne || (isWord && !isAddress)) return undefined;
    return { path, value: value.length > MAX_CURSOR_CHARACTERS || value };
  }
  // Such as a database key.
  const isKey = isRecord(value) && Object.keys(value).length > 0;
  return isKey ? { path, value: jsonOf(value) ?? true } : undefined;
}

function counterAmong(members: readonly JsonMember[], recordCount: number): LiveCursor | undefined {
  const places = new Map<string, JsonMember[]>();
  for (const member of members) {
    const place = JSON.stringify(member.path.slice(0, -1));
    places.set(place, [...(places.get(place) ?? []), member]);
  }
  for (const beside of places.values()) {
    const counters = beside.filter(
      ({ value }) => Number.isSafeInteger(value) && Number(value) >= 0,
    );
    const [page, pages, offset, size, total] = [PAGE, PAGES, OFFSET, SIZE, TOTAL].map((wished) =>
      counters.find(({ path }) => isNamed(path, wished)),
    );
    if (size !== undefined && size.value !== recordCount) continue;
    // Pages may count from 0: then the last is one less than all.
    const isCut = size !== undefined && Number(total?.value) % Number(size.value) > 0;
    const lastPage = Number(pages?.value) - (isCut ? 0 : 1);
    if (page !== undefined && Number(page.value) < lastPage)
      return { path: page.path, value: Number(page.value) + 1 };
    const next = Number(offset?.value) + recordCount;
    if (offset !== undefined && size !== undefined && next < Number(total?.value))
      return { path: offset.path, value: next };
  }
  return undefined;
}

function isNamed(path: readonly string[], wished: ReadonlySet<string>): boolean {
  return wished.has(nameOf(path.at(-1)));
}

function isIn(path: readonly string[], name: string): boolean {
  return nameOf(path.at(-2)) === name;
}

export function nameOf(key = ""): string {
  return key
    .slice(key.lastIndexOf("/") + 1)
    .toLowerCase()
    .replaceAll(/[_\-.@$:\s]/g, "");
}
