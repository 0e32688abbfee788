import { type Leaf, leavesOf } from "../json/json-leaves.js";
import type { Content } from "../../types/content.js";
import type { LiveCursor } from "../../types/output.js";
import { isRecord } from "../../../util/is-record.js";

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Members whose value leads to the next page; names without case and without what joins their words. */
const NEXT = names(
  "next nextcursor nextpage nextpagetoken nexttoken nextpagecursor nexturl nexturi nexthref nextlink nextpageurl " +
    "nextoffset nextmarker nextkey nextid nextrecordsurl nextcontinuationtoken continuationtoken continue " +
    "odatanextlink lastevaluatedkey",
);
/** Members that say whether there is a next page, and whether this is the last one. */
const HAS_MORE = names("hasmore hasnext hasnextpage istruncated moreavailable");
const IS_LAST = names("islast islastpage last");
/** What leads on where a member says that there is a next page. */
const COMPANIONS = names("endcursor cursor after lastid lastkey");
/** Objects that speak of pages. */
const OF_PAGES = names(
  "pagination paging page pages pageinfo meta metadata responsemetadata cursors link links next " +
    "structuredcontent",
);
/** In an object `next`, and in an entry of a list of links whose relation is `next`: where the page is. */
const ADDRESSES = names("href url uri link after startingafter cursor token page");

const PAGE = names("page pagenumber currentpage");
/** Pages that count from 0. */
const PAGE_INDEX = names("pageindex number");
const PAGES = names("totalpages pagecount numpages lastpage pages");
const OFFSET = names("offset start startat skip");
/** An offset that counts from 1. */
const START_INDEX = names("startindex");
const SIZE = names("limit perpage pagesize maxresults itemsperpage size");
const TOTAL = names("total totalcount totalresults totalitems totalrecords totalelements");
const COUNTERS = [PAGE, PAGE_INDEX, PAGES, OFFSET, START_INDEX, SIZE, TOTAL];

const SPOKEN = new Set(
  [NEXT, HAS_MORE, IS_LAST, COMPANIONS, ADDRESSES, ...COUNTERS].flatMap((each) => [...each]),
);
const MAX_DEPTH = 8;
/** Texts that mean that there is no page. */
const NONE = names("0 -1 null none false");

/**
 * The live cursor of a JSON text: what says that it is one page of more. It is looked for beside the records and beside the
 * objects that they stand in, and in objects that speak of pages, such as `pagination` and `links`; an item of data is never
 * looked at. A member such as `has_more: false` ends it. Where no member speaks of a next page, `page` and `total_pages`, or
 * `offset`, `limit` and `total`, do if they agree with the number of records. Never throws. The event loop gets a turn about
 * every megabyte.
 *
 * @param recordsAt - Keys from the root to the records, which are not looked into; `undefined` where there are none.
 * @param recordCount - How many records there are, where that is known.
 */
export async function cursorIn(
  json: Uint8Array,
  recordsAt: readonly string[] | undefined,
  recordCount?: number,
): Promise<LiveCursor | undefined> {
  const leaves = await leavesOf(
    json,
    (path) => isEntered(path, recordsAt),
    (path) => SPOKEN.has(nameOf(path.at(-1))) || isRelation(path),
  );
  const more = leaves.find((leaf) => says(leaf, true));
  if (more === undefined && leaves.some((leaf) => says(leaf, false))) return undefined;
  const objects = byObject(leaves);
  const found = objects.flatMap((members) => nextAmong(members, recordsAt !== undefined))[0];
  if (found !== undefined) return found;
  if (more !== undefined) {
    const companion = leaves.find(({ path }) => COMPANIONS.has(nameOf(path.at(-1))));
    return (companion && live(companion)) ?? { path: more.path, value: true, cut: false };
  }
  const isSpokenOf = leaves.some(({ path }) => NEXT.has(nameOf(path.at(-1))));
  if (isSpokenOf || recordsAt === undefined || !recordCount) return undefined;
  return objects.flatMap((members) => counterAmong(members, recordCount) ?? [])[0];
}

function isEntered(path: readonly string[], recordsAt: readonly string[] = []): boolean {
  if (path.length > MAX_DEPTH) return false;
  const around = path.findIndex(
    (key, index) => index >= recordsAt.length - 1 || key !== recordsAt[index],
  );
  const rest = around === -1 ? [] : path.slice(around);
  return rest.every((key, index) => OF_PAGES.has(nameOf(key)) || (index > 0 && isIndex(key)));
}

/** The members of each object. */
function byObject(leaves: readonly Leaf[]): readonly (readonly Leaf[])[] {
  const objects = new Map<string, Leaf[]>();
  for (const leaf of leaves) {
    const place = JSON.stringify(leaf.path.slice(0, -1));
    const known = objects.get(place);
    if (known === undefined) objects.set(place, [leaf]);
    else known.push(leaf);
  }
  return [...objects.values()];
}

/** The members of one object that lead to the next page. */
function nextAmong(members: readonly Leaf[], isBesideRecords: boolean): readonly LiveCursor[] {
  const place = members[0]?.path.slice(0, -1) ?? [];
  const isLink = isIndex(place.at(-1));
  if (isLink && !members.some(({ path, text }) => isRelation(path) && text === '"next"')) return [];
  const isNext = isLink || nameOf(place.at(-1)) === "next";
  const isOfPages = OF_PAGES.has(nameOf(place.at(-1)));
  return members.flatMap((leaf) => {
    const name = nameOf(leaf.path.at(-1));
    if (!(isNext ? ADDRESSES : NEXT).has(name)) return [];
    const cursor = live(leaf);
    // In a document of any kind `next` and `continue` are words like others.
    const isWord = (name === "next" || name === "continue") && !isOfPages && !isBesideRecords;
    return isWord && !/^(?:https?:\/\/|[/?])/.test(String(cursor?.value)) ? [] : (cursor ?? []);
  });
}

/** Whether a member says that there is a next page, or that there is none. */
function says({ path, text }: Leaf, isMore: boolean): boolean {
  const name = nameOf(path.at(-1));
  return (
    (HAS_MORE.has(name) && text === String(isMore)) ||
    (IS_LAST.has(name) && text === String(!isMore))
  );
}

/** The cursor that is the value of a member; `undefined` for a value that is none. */
function live({ path, text }: Leaf): LiveCursor | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Only the beginning of a long text is there.
    return text.startsWith('"') ? { path, value: text.slice(1), cut: true } : undefined;
  }
  if (typeof value === "number") {
    const shown = String(value) === text ? value : text;
    return value > 0 ? { path, value: shown, cut: false } : undefined;
  }
  if (typeof value === "string") {
    const isOne = /^\S+$/.test(value) && !NONE.has(value.toLowerCase());
    return isOne ? { path, value, cut: false } : undefined;
  }
  // Some cursors are objects, such as a key of a database.
  const isKey = isRecord(value) && Object.keys(value).length > 0;
  return isKey ? { path, value: text, cut: false } : undefined;
}

/** The counter of the page after this one, where the counters of one object agree with the number of records. */
function counterAmong(members: readonly Leaf[], recordCount: number): LiveCursor | undefined {
  const of = (wished: ReadonlySet<string>): Counter | undefined =>
    members.flatMap((leaf) =>
      wished.has(nameOf(leaf.path.at(-1))) ? (counter(leaf) ?? []) : [],
    )[0];
  const [size, total] = [of(SIZE)?.value, of(TOTAL)?.value];
  if (size !== undefined && size !== recordCount) return undefined;
  const told = of(PAGES)?.value;
  const pages = told ?? (size && total && Math.ceil(total / size));
  // Many things have a number; beside a count of pages it is that of the page.
  const index = told === undefined ? undefined : of(PAGE_INDEX);
  const page = of(PAGE) ?? index;
  if (page !== undefined && pages !== undefined) {
    const seen = page === index || page.value === 0 ? page.value + 1 : page.value;
    return seen < pages ? { path: page.path, value: page.value + 1, cut: false } : undefined;
  }
  const from = of(START_INDEX);
  const offset = from ?? of(OFFSET);
  if (offset === undefined || size === undefined || total === undefined) return undefined;
  const seen = offset.value + recordCount - (from === undefined ? 0 : 1);
  return seen < total
    ? { path: offset.path, value: offset.value + recordCount, cut: false }
    : undefined;
}

interface Counter {
  readonly path: readonly string[];
  readonly value: number;
}

function counter({ path, text }: Leaf): Counter | undefined {
  return /^\d{1,15}$/.test(text) ? { path, value: Number(text) } : undefined;
}

/** Whether the member tells the relation of an entry of a list of links. */
function isRelation(path: readonly string[]): boolean {
  return isIndex(path.at(-2)) && ["rel", "relation"].includes(path.at(-1) ?? "");
}

function isIndex(key: string | undefined): boolean {
  return key !== undefined && /^\d{1,4}$/.test(key);
}

/**
 * The live cursor of an output, as `cursorIn` finds it: in the document around the records, or, without records, in the
 * document. Of records that are lines or elements of their own it is that of the last one, where that has no member of the
 * first one and so is none of the data. Of what was stopped nobody knows the last one. Never throws.
 */
export async function liveCursorOf(content: Content): Promise<LiveCursor | undefined> {
  const { records, kind, layout, body, complete } = content;
  if (records === undefined) {
    return layout === "document" ? await cursorIn(body, undefined) : undefined;
  }
  const { envelope, path, count, sampleCount } = records;
  if (envelope !== undefined) return await cursorIn(Buffer.from(envelope), path, count);
  const isList = kind === "json-lines" || kind === "json-array";
  if (!isList || complete === false || count < 2 || sampleCount === 0) return undefined;
  const last = sampleCount === undefined ? records.at(count - 1) : records.last;
  if (last === undefined || !(await isUnlike(last, records.at(0)))) return undefined;
  return await cursorIn(Buffer.from(last), []);
}

async function isUnlike(last: string, first: string): Promise<boolean> {
  const known = new Set(await keysOf(first));
  const keys = await keysOf(last);
  return known.size > 0 && keys.length > 0 && !keys.some((key) => known.has(key));
}

/** The keys of an object; none of anything else. */
async function keysOf(line: string): Promise<readonly string[]> {
  if (!line.trimStart().startsWith("{")) return [];
  const leaves = await leavesOf(Buffer.from(line), (path) => path.length === 0);
  return leaves.map(({ path }) => path[0] ?? "");
}

/** A name without case, what joins its words, and the prefix by which MCP tells whose it is. */
export function nameOf(key = ""): string {
  return key
    .slice(key.lastIndexOf("/") + 1)
    .toLowerCase()
    .replaceAll(/[_\-.@$:\s]/g, "");
}
