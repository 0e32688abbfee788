import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  drainPages,
  type DrainProgress,
  type Page,
} from "../../../../src/adapters/langchain/paging/drained-tool.js";

type NextPage = Parameters<typeof drainPages>[1];

/** Pages of a service; the cursor is the page's number. */
function service(sizes: readonly number[]): {
  pages: Page[];
  asked: string[];
  firstPage: Page;
  nextPage: NextPage;
} {
  let count = 0;
  const pages = sizes.map((size, index): Page => ({
    records: Array.from({ length: size }, () => String((count += 1))),
    cursor: index + 1 < sizes.length ? String(index + 1) : null,
  }));
  const asked: string[] = [];
  return {
    pages,
    asked,
    firstPage: pages[0] ?? { records: [], cursor: null },
    nextPage: (given) => {
      const cursor = String(given);
      asked.push(cursor);
      const page = pages[Number(cursor)];
      if (page === undefined) throw new Error(`no page ${cursor}`);
      return page;
    },
  };
}

describe("draining pages", () => {
  it("rule 6: gives every record once, in order, up to the bound, and says whether that is all", async () => {
    const sizes = fc.array(fc.nat(4), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 14 }), async (sizes, maxPages) => {
        const { pages, asked, firstPage, nextPage } = service(sizes);
        const seen: DrainProgress[] = [];
        const onProgress = (progress: DrainProgress) => seen.push(progress);
        const drained = await drainPages(firstPage, nextPage, { maxPages, onProgress });
        const fetched = Math.min(sizes.length, maxPages);
        const complete = sizes.length <= maxPages;
        const records = pages.slice(0, fetched).flatMap((page) => page.records);
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
        const { firstPage, nextPage } = service([2, 2, 2, 2, 2, 2]);
        const error = new Error("502");
        const failing: NextPage = (cursor, signal) => {
          if (cursor !== String(bad)) return nextPage(cursor, signal);
          if (throws) throw error;
          return Promise.reject(error);
        };
        const drained = await drainPages(firstPage, failing, {});
        expect(drained).toEqual({
          records: Array.from({ length: 2 * bad }, (_, index) => String(index + 1)),
          pages: bad,
          cursor: String(bad),
          stoppedBy: "page-failed",
        });
      }),
    );
  });

  it("gives up the page that is on its way when the time is over", async () => {
    const { firstPage, nextPage } = service([1, 1, 1]);
    let signal: AbortSignal | undefined;
    const hanging: NextPage = (cursor, given) => {
      signal = given;
      return cursor === "1" ? nextPage(cursor, given) : new Promise<Page>(() => undefined);
    };
    const drained = await drainPages(firstPage, hanging, { timeoutMs: 30 });
    expect(drained).toEqual({
      records: ["1", "2"],
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
      const page = (): Page => {
        const cursor = structuredClone(cursors[index % cursors.length]);
        index += 1;
        return { records: [String(index)], cursor };
      };
      const drained = await drainPages(page(), page, { maxPages: 50 });
      expect(drained).toMatchObject({ stoppedBy: "repeated-cursor" });
      expect(drained.pages).toBe(cursors.length + 1);
    },
  );

  it("rejects with the reason of a signal, before and in the middle", async () => {
    const reason = new Error("stopped by the user");
    const { firstPage, nextPage } = service([1, 1]);
    const early = drainPages(firstPage, nextPage, { signal: AbortSignal.abort(reason) });
    await expect(early).rejects.toBe(reason);
    const controller = new AbortController();
    const abort: NextPage = () => new Promise<Page>(() => controller.abort(reason));
    const late = drainPages(firstPage, abort, { signal: controller.signal });
    await expect(late).rejects.toBe(reason);
  });
});
