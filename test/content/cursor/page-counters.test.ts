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
