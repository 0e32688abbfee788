import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { drained } from "../../../../src/adapters/langchain/paging/drained-tool.js";

const schema = z.object({ cursor: z.unknown().optional() });

/** A drained tool of a service, whose pages are given by their cursors. */
const draining = (
  page: (cursor: unknown, signal?: AbortSignal) => object | Promise<object>,
  options = {},
) =>
  drained(
    tool(async ({ cursor }, { signal }) => JSON.stringify(await page(cursor, signal)), {
      name: "list",
      description: "Lists.",
      schema,
    }),
    { recordsAt: "records", cursorAt: "next", ...options },
  );

const run = async (...given: Parameters<typeof draining>): Promise<unknown> =>
  JSON.parse(await draining(...given).invoke({}));

/** Page 0 is the first; the cursor is the page's number. */
const numbered = (pages: number) => (cursor: unknown) => {
  const at = Number(cursor ?? 0);
  return { records: [at], ...(at + 1 < pages && { next: at + 1 }) };
};

describe("draining pages", () => {
  it("gives up the page that is on its way when the time is over", async () => {
    let signal: AbortSignal | undefined;
    const hanging = (cursor: unknown, given?: AbortSignal) => {
      signal = given;
      return cursor === 2 ? new Promise<object>(() => undefined) : numbered(3)(cursor);
    };
    const part = { complete: false, pages: 2, next_cursor: 2, records: [0, 1] };
    expect(await run(hanging, { timeoutMs: 200 })).toMatchObject(part);
    expect(signal?.aborted).toBe(true);
  });

  it.each([[["a"]], [["a", "b"]], [[{ at: 1 }, { at: 2 }]], [[7, 8]]])(
    "ends when the cursors go round, as %j",
    async (cursors) => {
      let index = 0;
      const round = () => {
        index += 1;
        return { records: [index], next: cursors[(index - 1) % cursors.length] };
      };
      const part = await run(round, { maxPages: 50 });
      expect(part).toMatchObject({ complete: false, pages: cursors.length + 1 });
      expect(part).not.toHaveProperty("next_cursor");
    },
  );
});
