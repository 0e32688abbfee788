import { emit } from "../../../core/types/events.js";

/** Progress of a tool that fetches all its pages, after each page. */
export interface DrainProgress {
  /** Pages so far, the first among them. */
  readonly pages: number;
  readonly records: number;
  readonly elapsedMs: number;
}

/** Bounds of {@link drainPages}, and who watches. */
interface DrainLimits {
  /** Most pages, the first among them. Default: 100. */
  readonly maxPages?: number;
  /** Longest time for all later pages, in milliseconds. A page that is on its way then is given up. Default: 60,000. */
  readonly timeoutMs?: number;
  /** Called after each page; what it throws is ignored. */
  readonly onProgress?: ((progress: DrainProgress) => void) | undefined;
  /** Ends the draining: the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What {@link drainPages} needs to know about the pages. */
export interface DrainOptions<Page, Entry, Cursor> extends DrainLimits {
  readonly firstPage: Page;
  /** Fetches the page at a cursor. The signal is aborted when the page is given up. */
  readonly nextPage: (cursor: Cursor, signal: AbortSignal) => Page | Promise<Page>;
  readonly recordsOf: (page: Page) => readonly Entry[];
  /** The cursor of the page after this one; `undefined`, `null` or an empty string on the last page. */
  readonly cursorOf: (page: Page) => Cursor | null | undefined;
}

/** Why pages are missing. `repeated-cursor`: a page pointed back to one that was fetched already. */
type DrainStop = "max-pages" | "timeout" | "repeated-cursor" | "page-failed";

/** The records of all pages that were fetched, in order. */
export type DrainedPages<Entry, Cursor> = {
  readonly records: readonly Entry[];
  readonly pages: number;
} & (
  | { readonly complete: true }
  | {
      readonly complete: false;
      /** Where the missing pages begin. */
      readonly cursor: Cursor;
      readonly stoppedBy: DrainStop;
      /** What `nextPage`, `recordsOf` or `cursorOf` threw, when `stoppedBy` is `page-failed`. */
      readonly error?: unknown;
    }
);

/**
 * Fetches the pages after the first, one after the other, until there is none or a bound is met. A
 * later page that fails ends it: what was fetched before is returned.
 *
 * @throws The signal's reason when it is aborted, and what `recordsOf` or `cursorOf` throws for the first page.
 */
export async function drainPages<Page, Entry, Cursor>(
  options: DrainOptions<Page, Entry, Cursor>,
): Promise<DrainedPages<Entry, Cursor>> {
  const { firstPage, nextPage, recordsOf, cursorOf, signal } = options;
  const { maxPages = 100, timeoutMs = 60_000, onProgress } = options;
  signal?.throwIfAborted();

  const startedAt = performance.now();
  const givenUp = new AbortController();
  const seen = new Set<string>();
  const records: Entry[] = [];
  let pages = 0;
  let following: { readonly cursor: Cursor } | undefined;

  function take(page: Page): void {
    // Both first, so that a page is counted whole or not at all.
    const entries = recordsOf(page);
    const next = cursorOf(page);
    for (const entry of entries) records.push(entry);
    following = next === undefined || next === null || next === "" ? undefined : { cursor: next };
    pages += 1;
    report();
  }

  function report(): void {
    const elapsedMs = performance.now() - startedAt;
    emit(onProgress, { pages, records: records.length, elapsedMs });
  }

  const over = new Promise<typeof OVER>((resolve) => {
    givenUp.signal.addEventListener("abort", () => resolve(OVER), { once: true });
  });
  const giveUp = (): void => givenUp.abort();
  const timer = setTimeout(giveUp, timeoutMs);
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    take(firstPage);
    while (following !== undefined) {
      const { cursor } = following;
      const stopped = (stoppedBy: DrainStop, error?: unknown): DrainedPages<Entry, Cursor> => ({
        records,
        pages,
        complete: false,
        cursor,
        stoppedBy,
        ...(error !== undefined && { error }),
      });
      if (pages >= maxPages) return stopped("max-pages");
      try {
        const name = nameOf(cursor);
        if (seen.has(name)) return stopped("repeated-cursor");
        seen.add(name);
        const fetched = fetchPage(nextPage, cursor, givenUp.signal);
        const page = await Promise.race([fetched, over]);
        signal?.throwIfAborted();
        if (page === OVER) return stopped("timeout");
        take(page);
      } catch (error) {
        signal?.throwIfAborted();
        return stopped(givenUp.signal.aborted ? "timeout" : "page-failed", error);
      }
    }
    return { records, pages, complete: true };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}

const OVER: unique symbol = Symbol("over");

/** A `nextPage` that throws at once fails as one that rejects. */
async function fetchPage<Page, Cursor>(
  nextPage: (cursor: Cursor, signal: AbortSignal) => Page | Promise<Page>,
  cursor: Cursor,
  signal: AbortSignal,
): Promise<Page> {
  return await nextPage(cursor, signal);
}

/** Equal cursors have equal names, whether they are values or objects. */
function nameOf(cursor: unknown): string {
  if (typeof cursor === "bigint") return `${cursor}n`;
  // Not a number is no JSON.
  return typeof cursor === "number" ? `${cursor}` : JSON.stringify(cursor);
}
