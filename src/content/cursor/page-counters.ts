import type { LiveCursor } from "../../types/output.js";
import { nameOf } from "./member-name.js";
import type { Leaf } from "../json/object-walk.js";

/** Names without case and what joins their words. */
const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const PAGE = names("page pagenumber pagenum pageno currentpage xpage");
/** Pages that count from 0. */
const PAGE_INDEX = names("number pageindex");
const PAGES = names(
  "totalpages totalpage pagetotal pagecount pages numpages numberofpages lastpage xtotalpages",
);
/** Pages of a service that counts them from 0. */
const PAGES_OF_INDEX = names("nbpages");
const OFFSET = names("offset start startat startindex startrow skip from");
const SIZE = names(
  "limit perpage xperpage pagesize size maxresults itemsperpage hitsperpage resultsperpage",
);
const TOTAL = names(
  "total xtotal totalcount totalresults totalitems totalrecords totalelements totalhits totalsize numfound nbhits",
);

/** Names of all counters. */
export const COUNTERS: ReadonlySet<string> = new Set(
  [PAGE, PAGE_INDEX, PAGES, PAGES_OF_INDEX, OFFSET, SIZE, TOTAL].flatMap((each) => [...each]),
);

/** What is known of the page beside its counters. */
interface KnownPage {
  /** Its records. */
  readonly recordCount?: number | undefined;
  /** Whether something else says that there is a next page. */
  readonly isMore: boolean;
}

/**
 * The counter of the page after this one, by those of this one: `page` of `total_pages` (or of as many as `total` records with
 * `per_page` fill), or an `offset` into `total` records. `undefined` where that is not told, or where this is the last page.
 * Pages count from 1 unless their name, a page 0, or a last page that is not full tells that they count from 0. A page without
 * records has none after it.
 *
 * @param members - Members of one object.
 */
export function counterAmong(members: readonly Leaf[], known: KnownPage): LiveCursor | undefined {
  const { recordCount, isMore } = known;
  if (recordCount === 0) return undefined;
  const of = (wished: ReadonlySet<string>): Counter | undefined =>
    firstOf(members, (name) => wished.has(name));
  const size = of(SIZE)?.value;
  const total = of(TOTAL)?.value;
  const index = of(PAGE_INDEX);
  const page = of(PAGE) ?? index;
  const told = of(PAGES) ?? of(PAGES_OF_INDEX);
  const filled =
    size !== undefined && total !== undefined && size > 0 ? Math.ceil(total / size) : undefined;
  const pages = told?.value ?? filled;
  if (page !== undefined && (pages !== undefined || (isMore && page !== index))) {
    if (pages === undefined) return nextOf(page, 1);
    const isFull = size === undefined || recordCount === undefined || recordCount >= size;
    const countsFromZero =
      page === index ||
      page.value === 0 ||
      of(PAGES_OF_INDEX) !== undefined ||
      (!isFull && page.value === pages - 1);
    return page.value + (countsFromZero ? 1 : 0) < pages ? nextOf(page, 1) : undefined;
  }
  const offset = of(OFFSET);
  const step = recordCount ?? size ?? 0;
  if (offset === undefined || step === 0) return undefined;
  // A page may have fewer records than it has room for, because some were left out of it.
  const isBefore = total !== undefined && offset.value + Math.max(step, size ?? 0) < total;
  const isOwn = isMore && (size !== undefined || total !== undefined);
  return isBefore || isOwn ? nextOf(offset, step) : undefined;
}

interface Counter {
  readonly path: readonly string[];
  readonly value: number;
}

function nextOf({ path, value }: Counter, step: number): LiveCursor {
  return { path, value: value + step, cut: false };
}

function firstOf(
  members: readonly Leaf[],
  isWished: (name: string) => boolean,
): Counter | undefined {
  for (const { path, text } of members) {
    const digits = text.startsWith('"') ? text.slice(1, -1) : text;
    if (isWished(nameOf(path.at(-1))) && /^\d{1,15}$/.test(digits)) {
      return { path, value: Number(digits) };
    }
  }
  return undefined;
}
