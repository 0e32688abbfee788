import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { setsOf } from "../../../../src/core/types/content.js";
import { identifyContent } from "../../../../src/core/content/identify.js";
import { membersIn } from "../../../../src/core/content/json/json-members.js";
import * as live from "../../../../src/core/content/cursor/live-cursor.js";

const ROWS = Array.from({ length: 20 }, (_, index) => ({ id: index, name: `row ${index}` }));

const cursorIn = (json: string, at?: readonly string[]) => live.cursorIn(membersIn(json), at);

async function found(around: object, at: readonly string[] = ["items"]): Promise<unknown> {
  const content = await identifyContent(JSON.stringify(around));
  expect(setsOf(content)[0]?.path).toEqual(at);
  const cursor = live.liveCursorOf(content);
  return cursor && [cursor.path.join("."), cursor.value];
}

describe("a live cursor", () => {
  it.each<readonly [string, object, unknown]>([
    ["next_cursor", { next_cursor: "abc" }, "abc"],
    ["nextPageToken", { nextPageToken: "t" }, "t"],
    ["next", { next: "https://x.example/?page=2" }, "https://x.example/?page=2"],
    ["pagination.next", { pagination: { page: 1, next: 2 } }, 2],
    ["next_page", { next_page: 2, prev_page: null }, 2],
    ["@odata.nextLink", { "@odata.nextLink": "u" }, "u"],
    ["last_id", { has_more: true, first_id: "a", last_id: "b" }, "b"],
    ["cursor", { cursor: "c", has_more: 1 }, "c"],
    ["IsTruncated", { IsTruncated: true }, true],
    ["NextContinuationToken", { ContinuationToken: "o", NextContinuationToken: "n" }, "n"],
    ["continuationToken", { continuationToken: "c" }, "c"],
    ["LastEvaluatedKey", { LastEvaluatedKey: { pk: { S: "a" } } }, '{"pk":{"S":"a"}}'],
    ["paging.next.after", { paging: { next: { after: "7", link: "u" } } }, "7"],
    ["continue", { continue: { cmcontinue: "m" } }, '{"cmcontinue":"m"}'],
    ["page", { page: 2, total_pages: 5 }, 3],
    ["offset", { offset: 180, limit: 20, total: 201 }, 200],
    ["metadata.continue", { metadata: { continue: "k", resourceVersion: "1" } }, "k"],
    ["links.next", { links: { prev: null, next: "/p/2" } }, "/p/2"],
    ["_links.next.href", { _links: { self: { href: "s" }, next: { href: "n" } } }, "n"],
    ["pages.next.starting_after", { pages: { next: { page: 2, starting_after: "w" } } }, "w"],
  ])("is found at %s of %o", async (path, around, value) => {
    const at = ["data", "items"];
    const beside = { ok: true, ...around, data: { items: ROWS } };
    expect(await found({ ...around, items: ROWS })).toEqual([path, value]);
    expect(await found({ items: ROWS, ...around })).toEqual([path, value]);
    expect(await found({ data: { ...around, items: ROWS } }, at)).toEqual([`data.${path}`, value]);
    expect(await found(beside, at)).toEqual([path, value]);
  });

  it.each<object>([
    { nextCursor: false },
    { LastEvaluatedKey: {} },
    { next: null, previous: "p" },
    { next: "Song B", previous: "Song A" },
    { next_cursor: null, cursor: "this page's own" },
    { has_more: 0, next_cursor: "left over" },
    { IsTruncated: "False", NextMarker: "left over" },
    { continue: [{ toString: 1 }] },
    { pageInfo: { hasNextPage: false, endCursor: "e" } },
    { pagination: { next: null }, links: { next: "" } },
    { cursors: { before: "b", after: "a" }, page: 2 },
    { link: [{ relation: "self", url: "s" }] },
    { page: 4, totalPages: 5 },
    { page: { size: 20, totalElements: 100, totalPages: 5, number: 4 } },
    { offset: 180, limit: 20, total: 200 },
    { offset: 0, limit: 10, total: 400 },
    { page: 2, total_pages: 5, links: { next: null } },
    { page: 2, total_pages: 5, has_more: false },
    { start: 1_700_000_000, end: 1_700_000_300, total: 1_800_000_000 },
    { paging: { cursors: { before: "b", after: "a" }, previous: "p" } },
    { other: { page: 1, total_pages: 9 } },
    { status: "next_cursor", total: 4000 },
    { other: [{ next_cursor: "of an item" }] },
    { sections: { a: { next_cursor: "of another list" } } },
  ])("is not there in %o", async (around) => {
    expect(await found({ ...around, items: ROWS })).toBeUndefined();
  });

  it("is told of, without its text, where it is nested deeper than a text is made of", () => {
    const key = '{"a":'.repeat(40_000) + "1" + "}".repeat(40_000);
    const found = cursorIn(`{"items":[],"LastEvaluatedKey":${key}}`, ["items"]);
    expect(found).toEqual({ path: ["LastEvaluatedKey"], value: true });
  });

  it("is looked for in no more text than is parsed in 20 ms", () => {
    const page = (size: number): string =>
      `{"items":[],"next_cursor":"x","about":"${"y".repeat(size)}"}`;
    expect(cursorIn(page(200_000), ["items"])).toEqual({ path: ["next_cursor"], value: "x" });
    expect(cursorIn(page(300_000), ["items"])).toBeUndefined();
  });

  it("keeps every digit of a number that a double does not hold", () => {
    const next = (value: string) => cursorIn(`{"items":[],"next_cursor":${value}}`, ["items"]);
    expect(next("1633466144243445125")?.value).toBe("1633466144243445125");
    expect(next('{"id":9007199254740993}')?.value).toBe('{"id":"9007199254740993"}');
  });

  it("is found of the first list that has one", async () => {
    const list = (times: number, hasNextPage: boolean) => ({
      nodes: Array(times).fill(ROWS).flat(),
      pageInfo: { hasNextPage, endCursor: "e" },
    });
    const value = { issues: list(9, false), pulls: list(5, true) };
    expect(await found(value, ["issues", "nodes"])).toEqual(["pulls.pageInfo.endCursor", "e"]);
  });

  it("is never one of the data", async () => {
    const page = { next_cursor: "x", links: { next: "y" }, has_more: true };
    const items = ROWS.map((row) => ({ ...row, ...page }));
    expect(await found({ total: 20, items })).toBeUndefined();
    expect(await found(items, [])).toBeUndefined();
  });

  it("is looked for in any JSON without an error, and found in all that has `next_cursor`", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.string({ minLength: 4 }), async (value, cursor) => {
        cursorIn(JSON.stringify(value), undefined);
        if (typeof value !== "object" || value === null || Array.isArray(value)) return;
        if (cursor.trim().length < 4 || ["null", "none", "false"].includes(cursor.trim())) return;
        const paged = JSON.stringify({ ...value, pageInfo: { next_cursor: cursor } }, null, 1);
        const found = cursorIn(paged, undefined);
        if (found?.path.join() === "pageInfo,next_cursor")
          expect(found.value).toBe(cursor.toWellFormed());
      }),
    );
  });
});
