import type { LiveCursor } from "../../types/output.js";
import { nameOf } from "./member-name.js";
import { type Leaf, leavesOf } from "../json/object-walk.js";
import { COUNTERS, counterAmong } from "./page-counters.js";

/** Members whose value is the next page's cursor wherever pages are spoken of; names without case and `_-.@$`. */
const NEXT = new Set(
  (
    "nextcursor nextcursorstr nextpagetoken nexttoken nextpage nexturl nexturi nexthref nextlink nextpageurl nextpageuri nextpagelink " +
    "nextpagecursor nextpageid nextpagenumber nextoffset nextmarker nextkey nextid nextstart nextposition nextbookmark nextcontinuationtoken " +
    "continuationtoken nextsyncpage odatanextlink nextrecordsurl nextresults nextstartkey lastevaluatedkey nextpagehref nextsince"
  ).split(" "),
);
/** Members that say whether there is a next page. */
const HAS_MORE = new Set(
  "hasmore hasnext hasnextpage hasmorepages hasmoreitems hasmoreresults hasmorerecords morepages moreavailable moreresults istruncated more".split(
    " ",
  ),
);
/** Members that say whether this is the last page. */
const IS_LAST = new Set(["islast", "islastpage", "last", "lastpage"]);
/** Members that mean the next page unless a member of the first two kinds beside them says otherwise. */
const MAYBE_NEXT = new Set(["next", "cursor"]);
/** What stands for the cursor beside a member that says that there is a page. */
const COMPANIONS = new Set(
  "endcursor cursor after startingafter lastid lastkey scrollid bookmark marker token offset".split(
    " ",
  ),
);
/** Objects that speak of pages: they are looked into wherever an answer may have them. */
const OF_PAGES = new Set(
  "pagination paging pager page pages pageinfo paginationinfo paginginfo pagingmetadata paginationmetadata meta metadata responsemetadata cursor cursors links link next continue navigation headers listmetadata searchmetadata".split(
    " ",
  ),
);
/** Objects that stand between an answer without records and what speaks of its pages. */
const WRAPPERS = new Set(
  "data result results response body payload structuredcontent output content".split(" "),
);
/** In an object `next` or a list of links: where the page is. */
const ADDRESSES = new Set([
  "href",
  "url",
  "uri",
  "link",
  "after",
  "startingafter",
  "cursor",
  "token",
  "pagetoken",
  "offset",
  "page",
]);
const MAX_DEPTH = 8;
/** Texts that mean that there is no page. */
const NONE = new Set(["", "0", "-1", "null", "none", "nil", "undefined", "false"]);

/** All of these: what other members say does not matter here, however many there are. */
const SPOKEN = new Set(
  [NEXT, HAS_MORE, IS_LAST, MAYBE_NEXT, COMPANIONS, OF_PAGES, ADDRESSES, COUNTERS].flatMap(
    (names) => [...names],
  ),
);

/**
 * The live cursor of a JSON text: what says that it is one page of more. It is looked for beside the records and beside the
 * objects that they stand in, and in objects that speak of pages, such as `pagination`, `meta.paging.cursors` and `links`; an
 * item of data is never looked at. A cursor that is `null`, `false`, empty or zero is not live, and a member such as
 * `has_more: false` ends those beside it. Where nothing speaks of a next page, counters such as `page` and `total_pages` do, and
 * the cursor is the counter of that page. Never throws. The event loop gets a turn about every megabyte.
 *
 * @param recordsAt - Keys from the root to the records, which are not looked into; `undefined` where they are not known.
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
    (path) =>
      SPOKEN.has(nameOf(path.at(-1))) || nameOf(path.at(-2)) === "continue" || isRelation(path),
  );
  const groups = new Map<string, Leaf[]>();
  for (const leaf of leaves) {
    const parent = JSON.stringify(leaf.path.slice(0, -1));
    const known = groups.get(parent);
    if (known === undefined) groups.set(parent, [leaf]);
    else known.push(leaf);
  }
  const isMore = leaves.some(saysMore);
  if (leaves.some(saysLast) && !isMore) return undefined;
  const isDocument = recordsAt === undefined;
  const all = [...groups.values()];
  const found = all.flatMap((members) => cursorAmong(members, isDocument));
  const cursor = found.find(({ value }) => value !== true);
  if (cursor !== undefined || (!isMore && leaves.some(speaksOfNext))) return cursor ?? found[0];
  // In a document of any kind a page is one of a book.
  const counted = all
    .filter((members) => !isDocument || OF_PAGES.has(nameOf(members[0]?.path.at(-2))))
    .flatMap((members) => counterAmong(members, { recordCount, isMore }) ?? []);
  return counted[0] ?? found[0];
}

function isEntered(path: readonly string[], recordsAt: readonly string[] | undefined): boolean {
  if (path.length > MAX_DEPTH) return false;
  const around =
    recordsAt === undefined
      ? path.findIndex((key) => !WRAPPERS.has(nameOf(key)))
      : path.findIndex((key, index) => index >= recordsAt.length - 1 || key !== recordsAt[index]);
  const rest = around === -1 ? [] : path.slice(around);
  return rest.every(
    (key, index) =>
      OF_PAGES.has(nameOf(key)) ||
      (isIndex(key) && ["link", "links"].includes(nameOf(rest[index - 1]))),
  );
}

function cursorAmong(members: readonly Leaf[], isDocument: boolean): readonly LiveCursor[] {
  const parent = nameOf(members[0]?.path.at(-2));
  const of = (isWished: (name: string) => boolean): LiveCursor[] =>
    members.flatMap((leaf) => (isWished(nameOf(leaf.path.at(-1))) ? (liveIn(leaf) ?? []) : []));
  if (members.some(saysLast)) return [];
  const said = of((name) => NEXT.has(name));
  if (said.length > 0) return said;
  const more = members.find(saysMore);
  if (more !== undefined) {
    const isCounter = counterAmong(members, { isMore: true }) !== undefined;
    const [companion] = of(
      (name) => MAYBE_NEXT.has(name) || (COMPANIONS.has(name) && !(isCounter && name === "offset")),
    );
    return [companion ?? { path: more.path, value: true, cut: false }];
  }
  if (members.some(({ path }) => NEXT.has(nameOf(path.at(-1))))) return [];
  if (isLinkOfNext(members) || parent === "next" || parent === "cursors") {
    return of((name) => ADDRESSES.has(name) || name === "next").slice(0, 1);
  }
  if (isIndex(members[0]?.path.at(-2))) return [];
  if (parent === "continue") return of(() => true).slice(0, 1);
  const isOfPages = OF_PAGES.has(parent);
  const continued = isOfPages ? of((name) => name === "continue" || name === "after") : [];
  if (continued.length > 0) return continued;
  const links = of((name) => name === "link" || name === "links");
  if (links.length > 0) return links;
  const isEnded = members.some((leaf) => nameOf(leaf.path.at(-1)) === "next" && isNone(leaf));
  if (isEnded) return [];
  // In a document of any kind `next` is a word like others, and no cursor is written in words.
  const mayBeNext = isDocument ? /^(?:https?:\/\/|[/?])/ : /^\S*$/;
  return of((name) => MAYBE_NEXT.has(name)).filter(
    ({ value }) => isOfPages || mayBeNext.test(String(value)),
  );
}

/** Whether the members are those of one entry of a list of links, with the relation `next`. */
function isLinkOfNext(members: readonly Leaf[]): boolean {
  return members.some(({ path, text }) => isRelation(path) && text.toLowerCase() === '"next"');
}

function isRelation(path: readonly string[]): boolean {
  return isIndex(path.at(-2)) && ["rel", "relation"].includes(path.at(-1) ?? "");
}

function liveIn({ path, text }: Leaf): LiveCursor | undefined {
  const name = nameOf(path.at(-1));
  const parsed = parse(text);
  const cut = parsed === undefined;
  if (isContainer(text)) {
    // An object that is a cursor of its own, such as a key of a database.
    return NEXT.has(name) && !isEmpty(text) ? { path, value: text, cut } : undefined;
  }
  if (cut) return text.startsWith('"') ? { path, value: text.slice(1), cut } : undefined;
  if (parsed === true) return NEXT.has(name) ? { path, value: true, cut: false } : undefined;
  if (typeof parsed === "number") {
    if (!(parsed > 0) || name === "cursor") return undefined;
    return { path, value: String(parsed) === text ? parsed : text, cut: false };
  }
  if (typeof parsed !== "string" || NONE.has(parsed.trim().toLowerCase())) return undefined;
  if (name !== "link" && name !== "links") return { path, value: parsed, cut: false };
  const address = nextInHeader(parsed);
  return address === undefined ? undefined : { path, value: address, cut: false };
}

/** The address with the relation `next` in the text of a Link header. @source RFC 8288. */
function nextInHeader(text: string): string | undefined {
  for (let open = text.indexOf("<"); open !== -1; open = text.indexOf("<", open + 1)) {
    const close = text.indexOf(">", open);
    if (close === -1) return undefined;
    const following = text.indexOf("<", close);
    const rest = text.slice(close + 1, following === -1 ? undefined : following).toLowerCase();
    const relations = rest.split(";").map((part) => part.replaceAll(/[\s",]/g, ""));
    if (relations.includes("rel=next")) return text.slice(open + 1, close);
    if (following === -1) return undefined;
    open = following - 1;
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether the member is there and has no cursor; of a container with something in it that is not known. */
function isNone(leaf: Leaf): boolean {
  const mayHave = isContainer(leaf.text) && !isEmpty(leaf.text);
  return !mayHave && liveIn(leaf) === undefined;
}

function isContainer(text: string): boolean {
  return text.startsWith("{") || text.startsWith("[");
}

function isEmpty(container: string): boolean {
  return container.length < 64 && ["{}", "[]"].includes(container.replaceAll(/\s/g, ""));
}

/** Whether the member is one that has the next page's cursor where there is one, or says whether there is one. */
function speaksOfNext(leaf: Leaf): boolean {
  const name = nameOf(leaf.path.at(-1));
  return name === "next" || NEXT.has(name) || HAS_MORE.has(name) || saysLast(leaf);
}

function saysMore({ path, text }: Leaf): boolean {
  const name = nameOf(path.at(-1));
  if (IS_LAST.has(name)) return text === "false";
  return HAS_MORE.has(name) && ["true", "1", '"true"', '"yes"', '"1"'].includes(text.toLowerCase());
}

function saysLast({ path, text }: Leaf): boolean {
  const name = nameOf(path.at(-1));
  if (IS_LAST.has(name)) return text === "true";
  return (
    HAS_MORE.has(name) && ["false", "0", '"false"', '"no"', '"0"'].includes(text.toLowerCase())
  );
}

function isIndex(key: string | undefined): boolean {
  return key !== undefined && /^\d{1,4}$/.test(key);
}
