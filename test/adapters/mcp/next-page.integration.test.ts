import { describe, expect, it } from "vitest";

import { mcpagent, metaCc, vectara } from "../../../src/presets/index.js";
import { memoryStore } from "../../../src/store/memory.js";
import { proxied, type Rpc, shakeHands, textsOf } from "./connections.js";
import { answer, JSON_TYPE, start } from "./scripted-http.js";

const CURSOR = "eyJwIjoyfQ";
const rows = Array.from({ length: 900 }, (_, id) => ({ id, city: "Rome", note: `row ${id}` }));
const text = (value: unknown, space?: number): object => ({
  type: "text",
  text: typeof value === "string" ? value : JSON.stringify(value, null, space),
});
const content = [text(rows)];

/** Where a page may say that there is a next one: the result, and the place of its cursor. */
const PAGES: Readonly<Record<string, readonly [object, string]>> = {
  "beside the content": [{ content, nextCursor: CURSOR }, "nextCursor"],
  "in _meta": [{ content, _meta: { progressToken: 7, nextCursor: CURSOR } }, "_meta.nextCursor"],
  "in _meta, under a name with a prefix": [
    { content, _meta: { "example.com/pagination": { next: CURSOR } } },
    "_meta.example.com/pagination.next",
  ],
  "beside structured content": [
    { content, structuredContent: { result: rows }, nextCursor: CURSOR },
    "nextCursor",
  ],
  "beside a log": [
    { content: [text("a log line\n".repeat(3_000))], nextCursor: CURSOR },
    "nextCursor",
  ],
  "in the text": [{ content: [text({ rows, nextCursor: CURSOR })] }, "nextCursor"],
  "in structured content": [
    {
      content: [],
      structuredContent: { rows, pageInfo: { hasNextPage: true, endCursor: CURSOR } },
    },
    "pageInfo.endCursor",
  ],
  "in the last of many texts": [
    { content: [...rows.map((row) => text(row)), text({ next_cursor: CURSOR })] },
    "next_cursor",
  ],
  "in structured content that is not the text's": [
    { content, structuredContent: { rows, extra: 1, nextCursor: CURSOR } },
    "structuredContent.nextCursor",
  ],
};

const resultOf = async (result: object, options = {}): Promise<Rpc> => {
  const place = await start(
    ({ id }, response) => void response.writeHead(200, JSON_TYPE).end(answer(id, result)),
    undefined,
    options,
  );
  return await place.call("list_rows");
};

describe("a page of more behind the proxy", () => {
  const designs = {
    auto: {},
    bare: { describe: { form: "bare" } },
    "the least": { describe: { maxTokens: 1 } },
    vectara: { ...vectara({ onWarning: () => {} }), decide: {}, store: memoryStore() },
    mcpagent: { ...mcpagent(), threshold: { tokens: 1600 }, store: memoryStore() },
    metaCc: { ...metaCc({ environment: {} }), store: memoryStore() },
    cut: { decide: { mode: "truncate" } },
    failing: { store: { ...memoryStore(), put: () => Promise.reject(new Error("full")) } },
  } as const;
  it.each(
    Object.keys(PAGES).flatMap((where) => Object.keys(designs).map((design) => [where, design])),
  )("that says so %s is told as one, with the tool and the cursor: %s", async (where, design) => {
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
    // What stood beside still does, for clients that look there.
    const { nextCursor, _meta } = result as Record<string, unknown>;
    expect(answered.result).toMatchObject({
      ...(nextCursor !== undefined && { nextCursor }),
      ...(_meta !== undefined && { _meta }),
    });
    // The last page, whose cursor is empty, says nothing of a next one.
    if (design !== "auto") return;
    const json = JSON.stringify(result).replaceAll(CURSOR, "");
    const last = JSON.parse(json.replace('"hasNextPage":true', '"hasNextPage":false')) as object;
    const [whole] = textsOf(await resultOf(last));
    expect(whole).toContain('"offloaded":true');
    expect(whole).not.toMatch(/next_page|one page of more|"complete":false/);
  });

  it("with the records of another page is no replay of that one", async () => {
    const { call } = await start(({ id }, response) => {
      count += 1;
      response.writeHead(200, JSON_TYPE).end(answer(id, { content, nextCursor: `page ${count}` }));
    });
    let count = 0;
    for (const page of ["page 1", "page 2"]) {
      const [told = ""] = textsOf(await call());
      expect(JSON.parse(told).summary.next_page.cursor).toBe(page);
    }
  });

  it("has a cursor that is too long for a descriptor whole in a block beside it", async () => {
    const cursor = "aZ9_x-".repeat(200);
    const [told = "", beside = "", ...none] = textsOf(
      await resultOf({ content, nextCursor: cursor }),
    );
    expect(JSON.parse(told).summary.next_page.cursor).toMatch(/^aZ9_.{0,200}…$/);
    expect(told).not.toContain("whole in line 1");
    expect(JSON.parse(beside)).toEqual({ cursor_at: "nextCursor", cursor });
    expect(none).toEqual([]);
  });

  it.each([
    ["a sentence", [text(rows), text(`More rows: cursor ${CURSOR}.`)]],
    ["a sentence before", [text(`More rows: cursor ${CURSOR}.`), text(rows, 2)]],
    ["JSON beside JSON that spans lines", [text({ rows }, 1), text({ next_cursor: CURSOR })]],
  ])("that says so in %s keeps it in sight, and its records are records", async (_, blocks) => {
    const [told = "", beside] = textsOf(await resultOf({ content: blocks }));
    expect(JSON.parse(told)).toMatchObject({ offloaded: true, summary: { count: 900 } });
    expect(beside).toContain(CURSOR);
  });

  it("is told over standard streams too, with the digits of its cursor", async () => {
    const script = `require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      if (id === undefined) return;
      const text = JSON.stringify(Array.from({ length: 900 }, (_, id) => ({ id, city: "Rome" })));
      const result = method === "initialize" ? "{}"
        : '{"nextCursor":9007199254740993,"content":' + JSON.stringify([{ type: "text", text }]) + "}";
      console.log('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + result + "}");
    });`;
    const { client } = proxied({ upstream: { command: process.execPath, args: ["-e", script] } });
    await shakeHands(client);
    const line = await client.request("tools/call", { name: "list_rows", arguments: {} });
    const [told = ""] = textsOf(JSON.parse(line) as Rpc);
    expect(JSON.parse(told).summary.next_page.cursor).toBe("9007199254740993");
    await client.close();
  });
});
