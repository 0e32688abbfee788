import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { identifyContent } from "../../../src/content/identify.js";
import { liveCursorOf } from "../../../src/content/cursor/page-cursor.js";
import { createOffloader } from "../../../src/offload/create-offloader.js";
import { memoryStore } from "../../../src/store/memory.js";

const ROWS = Array.from({ length: 20 }, (_, id) => ({
  id,
  name: `row ${id}`,
  next: `/rows/${id}`,
}));
const page = (around: object): object => ({ items: ROWS, ...around });
const linesOf = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");

async function found(text: string): Promise<unknown> {
  const cursor = await liveCursorOf(await identifyContent(text));
  return cursor && [cursor.path.join("."), cursor.value];
}

describe("the live cursor of lines", () => {
  it.each<readonly [string, unknown, readonly unknown[]]>([
    ["next_cursor", "n", [...ROWS, { next_cursor: "n" }]],
    ["next_cursor", "n", [...ROWS, { type: "end", next_cursor: "n", request_id: "r", took_ms: 5 }]],
    [
      "data.next_cursor",
      "n",
      [...ROWS.map((data) => ({ type: "row", data })), { type: "end", data: { next_cursor: "n" } }],
    ],
    ["pagination.next", "n", [...ROWS, { pagination: { next: "n" } }]],
    ["has_more", true, [...ROWS, { has_more: true }]],
    ["next_cursor", "n", [{ next_cursor: "n", total: 99 }, ...ROWS]],
    ["next_cursor", "n", [page({ next_cursor: "m" }), page({ next_cursor: "n" })]],
    ["next", "n", [page({ next: "m" }), page({ next: "n" })]],
    ["next_cursor", "n", [page({ next_cursor: "m" }), { items: [{ id: 1 }], next_cursor: "n" }]],
    ["page", 3, [page({ page: 1, total_pages: 3 }), page({ page: 2, total_pages: 3 })]],
  ])("is %s: %j, that of the last page", async (path, value, values) => {
    expect(await found(linesOf(values))).toEqual([path, value]);
    expect(await found(JSON.stringify(values))).toEqual([path, value]);
  });

  it.each<readonly [string, readonly unknown[]]>([
    ["the last page", [page({ next_cursor: "m" }), page({ next_cursor: null })]],
    [
      "the last of counted pages",
      [page({ page: 1, total_pages: 2 }), page({ page: 2, total_pages: 2 })],
    ],
    [
      "a last line that says so",
      [{ next_cursor: "m" }, ...ROWS, { next_cursor: null, done: true }],
    ],
    ["data", ROWS],
    [
      "data with an optional member",
      [...ROWS, { id: 99, name: "x", has_more: true, next_cursor: "n" }],
    ],
    [
      "data with lists",
      ROWS.map((row) => ({ ...row, text: "words ".repeat(9), labels: [{ a: 1 }], has_more: true })),
    ],
    ["numbers", [1, 2, { next_cursor: "n" }]],
  ])("is not there in %s", async (_, values) => {
    expect(await found(linesOf(values))).toBeUndefined();
    expect(await found(JSON.stringify(values))).toBeUndefined();
  });

  it("is never found in a finished set, whatever its records are", async () => {
    const words = fc.constantFrom(
      "id",
      "next",
      "next_cursor",
      "has_more",
      "cursor",
      "page",
      "total_pages",
      "links",
      "data",
      "offset",
      "total",
    );
    const value = fc.oneof(
      fc.constantFrom<unknown>(true, "x", 7, "/next", { next: "y" }, [{ a: 1 }]),
      fc.jsonValue(),
    );
    const end = fc.constantFrom<unknown>(
      { next_cursor: null },
      { has_more: false },
      { type: "end", pagination: { next: "" } },
      { pageInfo: { hasNextPage: false, endCursor: "e" } },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(words, value),
        fc.integer({ min: 2, max: 9 }),
        end,
        async (fields, count, last) => {
          const rows = Array.from({ length: count }, (_, id) => ({
            id,
            text: "words that are data",
            ...fields,
          }));
          // Of one shape each, with the text the most of each: no pages, and nothing that is said of pages.
          const data = rows.map((row) => ({
            ...row,
            text: "words ".repeat(JSON.stringify(row).length),
          }));
          expect(await found(linesOf(data))).toBeUndefined();
          const names = new Set(Object.keys(fields));
          if (Object.keys(last as object).some((name) => names.has(name))) return;
          expect(await found(linesOf([...data, last]))).toBeUndefined();
          expect(
            await found(linesOf([page({ next_cursor: "m" }), page({ next_cursor: "" })])),
          ).toBeUndefined();
        },
      ),
    );
  });

  it.each([
    ["text", (value: unknown) => `${JSON.stringify(value)}\n`],
    ["records", (value: unknown) => value],
  ])("is that of the last line of a long stream of %s, unless it was stopped", async (_, part) => {
    const told = async (last: object, maxBytes: number): Promise<Record<string, unknown>> => {
      async function* stream() {
        for (let id = 0; id < 15_000; id += 1) yield part({ id, text: "words ".repeat(60) });
        yield part(last);
      }
      const offloader = createOffloader({ store: memoryStore(), streams: { maxBytes } });
      const result = await offloader.offload({ toolName: "t", value: stream(), sessionId: "s" });
      await offloader.close();
      return JSON.parse(result.text ?? "").summary as Record<string, unknown>;
    };
    expect(await told({ next_cursor: "n" }, 1e9)).toMatchObject({
      complete: false,
      next_page: { cursor: "n" },
    });
    expect(await told({ next_cursor: null }, 1e9)).not.toHaveProperty("complete");
    const stopped = await told({ next_cursor: "n" }, 5_000_000);
    expect(stopped).toMatchObject({ complete: false });
    expect(stopped).not.toHaveProperty("next_page");
  });
});
