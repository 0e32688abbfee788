import { tool } from "@langchain/core/tools";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { drained } from "../../../../src/adapters/langchain/paging/drained-tool.js";
import { createOffloader } from "../../../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../../../src/core/store/memory.js";

const schema = z.object({
  query: z.string(),
  limit: z.number().default(3),
  cursor: z.string().optional(),
});
const at = { recordsAt: "data.items", cursorAt: "next" };

/** A page of records `first` to `first + size`, as the text that a service sends. */
function pageText(first: number, size: number, next: string | null | undefined): string {
  const items = Array.from(
    { length: size },
    (_, index) => `{"id": 90071992547409${first + index}}`,
  );
  const end = next === undefined ? "" : `, "next": ${JSON.stringify(next)}`;
  return `{"data": {"items": [${items.join(", ")}]}, "total": 99${end}}`;
}

const recordTexts = (count: number): string =>
  Array.from({ length: count }, (_, index) => `{"id": 90071992547409${10 + index}}`).join(",");

/** A tool of that many pages, two records each; from page `failsAt` on it fails. */
function pagedTool(pages: number, failsAt = Infinity) {
  const calls: unknown[] = [];
  const search = tool(
    (args) => {
      calls.push(args);
      const page = Number(args.cursor ?? 0);
      if (page >= failsAt) throw new Error("502");
      return pageText(10 + 2 * page, 2, page + 1 < pages ? String(page + 1) : undefined);
    },
    { name: "search", description: "Searches.", schema },
  );
  return { search, calls };
}

describe("a drained tool", () => {
  it("rule 6: gives the complete set without a cursor, its records as they came", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 9 }), async (pages) => {
        const { search, calls } = pagedTool(pages);
        const seen: number[] = [];
        const onProgress = ({ records }: { records: number }) => seen.push(records);
        const whole: unknown = await drained(search, { ...at, onProgress }).invoke({ query: "q" });
        expect(whole).toBe(`[${recordTexts(2 * pages)}]`);
        expect(calls).toEqual(
          Array.from({ length: pages }, (_, page) => ({
            query: "q",
            limit: 3,
            ...(page > 0 && { cursor: String(page) }),
          })),
        );
        expect(seen).toHaveLength(pages);
      }),
      { numRuns: 8 },
    );
  });

  it("rule 7: says of a set with pages missing that it is one part, and where it goes on", async () => {
    const first = await drained(pagedTool(9).search, { ...at, maxPages: 2 }).invoke({ query: "q" });
    const second = await drained(pagedTool(9, 1).search, at).invoke({ query: "q" });
    const note = "One part only: later pages were not fetched.";
    expect(first).toBe(
      `{"complete":false,"note":"${note}","pages":2,"next_cursor":"2","records":[${recordTexts(4)}]}`,
    );
    expect(second).toBe(
      `{"complete":false,"note":"${note}","pages":1,"next_cursor":"1","records":[${recordTexts(2)}]}`,
    );
  });

  it("rules 6 and 7: is offloaded as a whole, or with a descriptor that says it is one part", async () => {
    const offloader = createOffloader({
      store: memoryStore(),
      threshold: { tokens: 300 },
    });
    const descriptorOf = async (maxPages: number) => {
      const value = await drained(pagedTool(60).search, { ...at, maxPages }).invoke({ query: "q" });
      const result = await offloader.offload({ toolName: "search", value, sessionId: "s" });
      if (result.outcome !== "offloaded") throw new Error(result.outcome);
      return { count: result.storedArtifact.recordCount, text: result.text };
    };
    const complete = await descriptorOf(60);
    const part = await descriptorOf(50);
    await offloader.close();
    expect(complete.count).toBe(120);
    expect(complete.text).not.toMatch(/cursor|"next"|complete/);
    expect(part.count).toBe(100);
    expect(part.text).toContain('"complete":false');
    expect(part.text).toContain("One part only: later pages were not fetched.");
    const { next_page } = JSON.parse(part.text).summary;
    expect(next_page).toEqual({ tool: "search", cursor_at: "next_cursor", cursor: "50" });
    // A call with it goes on where the first one stopped.
    const rest: unknown = await drained(pagedTool(60).search, at).invoke({
      query: "q",
      cursor: next_page.cursor,
    });
    expect(JSON.parse(String(rest))).toHaveLength(20);
  });

  it("fails as the tool does when its first page fails, and when it is aborted", async () => {
    const failing = drained(pagedTool(3, 0).search, at).invoke({ query: "q" });
    await expect(failing).rejects.toThrow("502");
    const controller = new AbortController();
    const { search } = pagedTool(1000);
    const onProgress = ({ pages }: { pages: number }) => {
      if (pages === 3) controller.abort(new Error("enough"));
    };
    const aborted = drained(search, { ...at, onProgress }).invoke(
      { query: "q" },
      { signal: controller.signal },
    );
    await expect(aborted).rejects.toThrow(/enough|abort/i);
  });

  it("A5: hands on a cursor that is a number beyond 2^53 as it came", async () => {
    const asked: unknown[] = [];
    const search = tool(
      ({ cursor }: { cursor?: unknown }) => {
        asked.push(cursor);
        return cursor === undefined
          ? '{"data":{"items":[1]},"next":9007199254740993}'
          : '{"data":{"items":[2]}}';
      },
      {
        name: "search",
        description: "Searches.",
        schema: z.object({ cursor: z.any().optional() }),
      },
    );
    expect(await drained(search, at).invoke({})).toBe("[1,2]");
    expect(asked).toEqual([undefined, "9007199254740993"]);
  });
});
