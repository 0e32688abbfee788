import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { identifyContent } from "../../../src/content/identify.js";
import { liveCursorOf } from "../../../src/content/cursor/page-cursor.js";

async function found(around: object, count: number): Promise<unknown> {
  const items = Array.from({ length: count }, (_, id) => ({ id, name: `the name of item ${id}` }));
  const content = await identifyContent(JSON.stringify({ ...around, items }));
  expect(content.records?.count).toBe(count);
  const cursor = await liveCursorOf(content);
  return cursor && [cursor.path.join("."), cursor.value];
}

describe("counters of pages beside records", () => {
  it.each<readonly [string, number, object]>([
    ["page", 3, { page: 2, total_pages: 5 }],
    ["page", 5, { page: "4", total_pages: "5", per_page: 20 }],
    ["page", 2, { page: 1, per_page: 20, total: 60 }],
    ["pagination.page", 2, { pagination: { page: 1, pages: 4, per_page: 20, items: 80 } }],
    [
      "meta.current_page",
      4,
      { meta: { current_page: 3, last_page: 9, from: 41, to: 60, total: 180 } },
    ],
    ["page.number", 1, { page: { size: 20, totalElements: 100, totalPages: 5, number: 0 } }],
    ["page", 1, { page: 0, nbPages: 2, hitsPerPage: 20 }],
    ["page", 1, { page: 0, total_pages: 3 }],
    ["offset", 20, { offset: 0, limit: 20, total: 100 }],
    ["skip", 60, { skip: 40, limit: 20, total: 194 }],
    ["startAt", 70, { startAt: 50, maxResults: 20, total: 71 }],
    ["start", 20, { start: 0, numFound: 21 }],
    ["headers.X-Page", 2, { headers: { "X-Page": "1", "X-Total-Pages": "3" } }],
    ["page", 3, { has_more: true, page: 2 }],
    ["offset", 40, { has_more: true, offset: 20, limit: 20 }],
    ["startAt", 20, { isLast: false, startAt: 0, maxResults: 20 }],
  ])("tell of the next page: %s %s of %o", async (path, value, around) => {
    expect(await found(around, 20)).toEqual([path, value]);
  });

  it.each<readonly [number, object]>([
    [20, { page: 5, total_pages: 5 }],
    [20, { page: 1, pages: 1 }],
    [7, { page: 4, per_page: 20, total: 87, total_pages: 5 }],
    [20, { page: { size: 20, totalElements: 100, totalPages: 5, number: 4 } }],
    [20, { page: 1, nbPages: 2, hitsPerPage: 20 }],
    [14, { offset: 180, limit: 20, total: 194 }],
    [18, { offset: 180, limit: 20, total: 199 }],
    [20, { startIndex: 81, itemsPerPage: 20, totalResults: 100 }],
    [20, { offset: 0, limit: 20, total: 20 }],
    [20, { page: 2, total_pages: 5, next: null }],
    [20, { page: 2, total_pages: 5, links: { next: null } }],
    [20, { page: 2, total_pages: 5, has_more: false }],
    [20, { total: 4000, limit: 20 }],
    [20, { from: "alice", total: 99.5 }],
    [20, { pages: 3, page: null }],
    [20, { other: { page: 1, total_pages: 9 } }],
  ])("tell of none beside %d records: %o", async (count, around) => {
    expect(await found(around, count)).toBeUndefined();
  });

  it("lead through a set page by page to its end, which tells of no next one", async () => {
    const writers: readonly ((page: number, size: number, total: number) => object)[] = [
      (page, size, total) => ({ page: page + 1, total_pages: Math.ceil(total / size) }),
      (page, size, total) => ({ pagination: { page: page + 1, per_page: size, total } }),
      (page, size, total) => ({
        page: { number: page, totalPages: Math.ceil(total / size), size },
      }),
      (page, size, total) => ({ offset: page * size, limit: size, total }),
      (page, size, total) => ({ meta: { start: page * size, total } }),
    ];
    const sizes = fc.integer({ min: 3, max: 12 });
    await fc.assert(
      fc.asyncProperty(
        sizes,
        fc.integer({ min: 1, max: 40 }),
        fc.nat(writers.length - 1),
        async (size, total, writer) => {
          const pages = Math.ceil(total / size);
          for (let page = 0; page < pages; page += 1) {
            const count = Math.min(size, total - page * size);
            // One record is a document.
            if (count < 3) continue;
            const next = await found(writers[writer]!(page, size, total), count);
            expect(next !== undefined).toBe(page + 1 < pages);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("are none of a document's own: a page of a book is no page of more", async () => {
    const text = JSON.stringify({ page: 3, pages: 300, text: "words ".repeat(200) });
    expect(await liveCursorOf(await identifyContent(text))).toBeUndefined();
    const paged = JSON.stringify({
      pagination: { page: 3, pages: 300 },
      text: "words ".repeat(200),
    });
    expect(await liveCursorOf(await identifyContent(paged))).toMatchObject({ value: 4 });
  });
});
