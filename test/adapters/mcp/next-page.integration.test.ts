import { describe, expect, it } from "vitest";

import { mcpagent, metaCc, vectara } from "../../../src/presets/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { type Rpc, textsOf } from "./connections.js";
import { answers, start } from "./scripted-http.js";

const CURSOR = "eyJwIjoyfQ";
const rows = Array.from({ length: 900 }, (_, id) => ({ id, city: "Rome", note: `row ${id}` }));
const text = (value: unknown, space?: number): object => ({
  type: "text",
  text: typeof value === "string" ? value : JSON.stringify(value, null, space),
});
/** Where a page may say that there is a next one: the result, and the place of its cursor. */
const PAGES: Readonly<Record<string, readonly [object, string]>> = {
  "in the text": [{ content: [text({ rows, nextCursor: CURSOR })] }, "nextCursor"],
  "in structured content": [
    {
      content: [],
      structuredContent: { rows, pageInfo: { hasNextPage: true, endCursor: CURSOR } },
    },
    "pageInfo.endCursor",
  ],
};

const resultOf = async (result: object, options = {}): Promise<Rpc> => {
  const { call } = await start(
    answers(() => result),
    undefined,
    options,
  );
  return await call("list_rows");
};

describe("a page of more behind the proxy", () => {
  const designs = {
    auto: {},
    bare: { describe: { form: "bare" } },
    "the least": { describe: { maxTokens: 1 } },
    vectara: {
      preset: vectara({ onWarning: () => {} }),
      threshold: { tokens: 1600 },
      gates: [],
      store: memoryStore(),
    },
    mcpagent: { preset: mcpagent(), threshold: { tokens: 1600 }, store: memoryStore() },
    metaCc: { preset: metaCc(), store: memoryStore() },
    cut: { mode: "truncate" },
    failing: { store: { ...memoryStore(), put: () => Promise.reject(new Error("full")) } },
  } as const;
  it.each([
    ...Object.keys(PAGES).map((where) => [where, "auto"]),
    ...Object.keys(designs).map((design) => ["in structured content", design]),
  ])("that says so %s is told as one, with the tool and the cursor: %s", async (where, design) => {
    const [result, place] = PAGES[where]!;
    const options = { store: memoryStore(), ...designs[design as keyof typeof designs] };
    const answered = await resultOf(result, options);
    const [told = ""] = textsOf(answered);
    const nextPage = /next_page"?: ?(\{[^}]*\})/.exec(told)?.[1];
    expect(JSON.parse(nextPage ?? "{}")).toEqual({
      tool: "list_rows",
      cursor_at: place,
      cursor: CURSOR,
    });
    expect(told).toMatch(/"complete":false|one page of more/i);
    const structured = answered.result?.["structuredContent"];
    if ("structuredContent" in result) expect(JSON.stringify(structured)).toContain(CURSOR);
    // The last page, whose cursor is empty, says nothing of a next one.
    if (design !== "auto") return;
    const json = JSON.stringify(result).replaceAll(CURSOR, "");
    const last = JSON.parse(json.replace('"hasNextPage":true', '"hasNextPage":false')) as object;
    const [whole] = textsOf(await resultOf(last));
    expect(whole).toContain('"offloaded":true');
    expect(whole).not.toMatch(/next_page|one page of more|"complete":false/);
  });
});
