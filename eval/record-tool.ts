import { tool, type DynamicStructuredTool } from "@langchain/core/tools";
import { z } from "zod";

import type { Arm } from "./arms.js";
import type { Corpus } from "./corpus.js";
import type { JsonRecord } from "./record.js";

/** Makes the tool that returns a set of records as an arm has it: all of them at once, or page by page. */
export function recordTool(
  corpus: Corpus,
  records: readonly JsonRecord[],
  { pageSize, lines = false }: Pick<Arm, "pageSize" | "lines">,
): DynamicStructuredTool {
  const args = Object.fromEntries(
    Object.entries(corpus.args).map(([name, value]) => [name, z.literal(value)]),
  );
  if (pageSize === undefined) {
    const text = lines
      ? records.map((record) => JSON.stringify(record)).join("\n")
      : JSON.stringify(records);
    return tool(() => text, {
      name: corpus.tool,
      description: corpus.description,
      schema: z.object(args),
    });
  }
  const pages = pagesOf(records.length, pageSize);
  return tool(
    ({ page }: { readonly page: number }) => {
      if (page < 1 || page > pages) return `There are pages 1 to ${pages}.`;
      const start = (page - 1) * pageSize;
      const next_page = page < pages ? page + 1 : null;
      return JSON.stringify({
        page,
        pages,
        total: records.length,
        next_page,
        records: records.slice(start, start + pageSize),
      });
    },
    {
      name: corpus.tool,
      description: `${corpus.description} A call returns one page of ${pageSize}.`,
      schema: z.object({ ...args, page: z.int().describe("From 1.") }),
    },
  );
}

/** Pages of a set; one at least. */
export function pagesOf(records: number, pageSize: number): number {
  return Math.max(1, Math.ceil(records / pageSize));
}
