import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type DrainOptions,
  drainPages,
  type DrainProgress,
} from "../../../../src/adapters/langchain/paging/drained-tool.js";

interface Page {
  readonly items: readonly number[];
  readonly next: string | null;
}

/** Pages of a service; the cursor is the page's number. */
function service(
  sizes: readonly number[],
): { pages: Page[]; asked: string[] } & Pick<
  DrainOptions<Page, number>,
  "nextPage" | "recordsOf" | "cursorOf"
> {
  let count = 0;
  const pages = sizes.map((size, index) => ({
    items: Array.from({ length: size }, () => (count += 1)),
    next: index + 1 < sizes.length ? String(index + 1) : null,
  }));
  const asked: string[] = [];
  return {
    pages,
    asked,
    nextPage: (given) => {
      const cursor = String(given);
      asked.push(cursor);
      const page = pages[Number(cursor)];
      if (page === undefined) throw new Error(`no page ${cursor}`);
      return page;
    },
    recordsOf: ({ items }) => items,
    cursorOf: ({ next }) => next,
  };
}

const EMPTY: Page = { items: [], next: null };

describe("draining pages", () => {
  it("rule 6: gives every record once, in order, up to the bound, and says whether that is all", async () => {
    const sizes = fc.array(fc.nat(4), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 14 }), async (sizes, maxPages) => {
        const { pages, asked, ...of } = service(sizes);
        const seen: DrainProgress[] = [];
        const drained = await drainPages({
          ...of,
          firstPage: pages[0] ?? EMPTY,
          maxPages,
          onProgress: (progress) => seen.push(progress),
        });
        const fetched = Math.min(sizes.length, maxPages);
        const complete = sizes.length <= maxPages;
        const records = pages.slice(0, fetched).flatMap(({ items }) => items);
        expect(drained).toEqual({
          records,
          pages: fetched,
          ...(!complete && { cursor: String(maxPages), stoppedBy: "max-pages" }),
        });
        expect(asked).toHaveLength(fetched - 1);
        expect(seen.map((progress) => progress.pages)).toEqual(
          Array.from({ length: fetched }, (_, index) => index + 1),
        );
        expect(seen.at(-1)?.records).toBe(records.length);
      }),
    );
  });

  it("rule 7: a page that fails leaves those before it, and its cursor", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.boolean(), async (bad, throws) => {
        const { pages, nextPage, ...of } = service([2, 2, 2, 2, 2, 2]);
        const error = new Error("502");
        const drained = await drainPages({
          ...of,
          firstPage: pages[0] ?? EMPTY,
          nextPage: (cursor, signal) => {
            if (cursor !== String(bad)) return nextPage(cursor, signal);
            if (throws) throw error;
            return Promise.reject(error);
          },
        });
        expect(drained).toEqual({
          records: Array.from({ length: 2 * bad }, (_, index) => index + 1),
          pages: bad,
          cursor: String(bad),
          stoppedBy: "page-failed",
        });
      }),
    );
  });

  it("gives up the page that is on its way when the time is over", async () => {
    const { pages, nextPage, ...of } = service([1, 1, 1]);
    let signal: AbortSignal | undefined;
    const drained = await drainPages({
      ...of,
      firstPage: pages[0] ?? EMPTY,
      timeoutMs: 30,
      nextPage: (cursor, given) => {
        signal = given;
        return cursor === "1" ? nextPage(cursor, given) : new Promise<Page>(() => undefined);
      },
    });
    expect(drained).toEqual({
      records: [1, 2],
      pages: 2,
      cursor: "2",
      stoppedBy: "timeout",
    });
    expect(signal?.aborted).toBe(true);
  });

  it.each([[["a"]], [["a", "b"]], [[{ at: 1 }, { at: 2 }]], [[7, 8]]])(
    "ends when the cursors go round, as %j",
    async (cursors) => {
      let index = 0;
      const drained = await drainPages<number, number>({
        firstPage: 0,
        maxPages: 50,
        nextPage: () => (index += 1),
        recordsOf: (page) => [page],
        cursorOf: (page) => structuredClone(cursors[page % cursors.length]),
      });
      expect(drained).toMatchObject({ stoppedBy: "repeated-cursor" });
      expect(drained.pages).toBe(cursors.length + 1);
    },
  );

  it("rejects with the reason of a signal, before and in the middle", async () => {
    const reason = new Error("stopped by the user");
    const { pages, nextPage, ...of } = service([1, 1]);
    const firstPage = pages[0] ?? EMPTY;
    const early = drainPages({ ...of, firstPage, nextPage, signal: AbortSignal.abort(reason) });
    await expect(early).rejects.toBe(reason);
    const controller = new AbortController();
    const late = drainPages({
      ...of,
      firstPage,
      signal: controller.signal,
      nextPage: () => new Promise<Page>(() => controller.abort(reason)),
    });
    await expect(late).rejects.toBe(reason);
  });
});
