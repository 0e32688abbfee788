import { describe, expect, it, onTestFinished, vi } from "vitest";

import type { OffloadOptions } from "../../../src/core/options/options.js";
import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import type { PutOptions } from "../../../src/core/pipeline/put-options.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import type { ToolOutput } from "../../../src/core/types/output.js";
import type { OffloadResult } from "../../../src/core/types/result.js";
import { code } from "../../../src/plugins/code/index.js";
import { media } from "../../../src/plugins/media/media.js";

function opened(options: OffloadOptions = {}) {
  const offloader = createOffloader({ store: memoryStore(), drillIn: { sql: {} }, ...options });
  onTestFinished(() => offloader.close());
  const tools = offloader.tools("s");
  return {
    offload: (value: unknown, about: Partial<ToolOutput> = {}): Promise<OffloadResult> =>
      offloader.offload({ toolName: "t", sessionId: "s", value, ...about }),
    put: async (value: unknown, about: Partial<PutOptions> = {}): Promise<string> =>
      (await offloader.put(value, { sessionId: "s", ...about })).storedArtifact.id,
    async ask(key: string, args: object): Promise<string> {
      const tool = tools.find(({ name }) => name === `${key}_tool_output`);
      return (await tool?.run(args))?.text ?? "";
    },
  };
}

const rows = Array.from({ length: 600 }, (_, id) => ({
  id,
  kind: `k${id % 3}`,
  text: "word ".repeat(8),
}));

describe("SQL", () => {
  it("of a field of several types says how to compare it, and that works", async () => {
    const { put, ask } = opened();
    const id = await put(rows.map((row) => ({ ...row, price: row.id === 0 ? "N/A" : row.id })));
    const error = await ask("sql", { id, query: "SELECT count(*) FROM output WHERE price > 100" });
    const [, number = ""] = /(TRY_CAST\(.*? AS DOUBLE\))/.exec(error) ?? [];
    const query = `SELECT max(${number.replace("field", "price")}) AS most FROM output`;
    expect(await ask("sql", { id, query })).toMatch(/^most\n599/);
    expect(await ask("sql", { id, query })).not.toContain("TRY_CAST");
  });

  it.each([
    ["max(odd.price) FROM output", "nested"],
    ["median(Price) FROM output", "in another case"],
  ])("says that %s compares JSON, %s", async (selected) => {
    const { put, ask } = opened();
    const records = rows.map((row) => {
      const price = row.id === 0 ? "N/A" : row.id;
      return { ...row, price, odd: { price } };
    });
    const id = await put(records);
    expect(await ask("sql", { id, query: `SELECT ${selected}` })).toContain("TRY_CAST");
    expect(await ask("sql", { id, query: "SELECT max(id) FROM output" })).not.toContain("TRY_");
  });

  it("and raw jq have a line for each row, also for an empty text", async () => {
    const { put, ask } = opened();
    const id = await put(rows.map((row) => ({ ...row, who: row.id % 3 === 0 ? "" : "Ann" })));
    const query = "SELECT who FROM output ORDER BY id LIMIT 4";
    expect(await ask("sql", { id, query })).toBe("who\n\nAnn\nAnn\n\n4 rows.");
    const first = await ask("jq", { id, filter: ".who", raw: true, limit: 4 });
    expect(first).toMatch(/^\nAnn\nAnn\n\nMore than 4/);
  });

  it.each(["SELECT DISTINCT (kind, id > 9) FROM output", "SELECT list_zip([1], ['a'])"])(
    "refuses %s, whose values have no names",
    async (query) => {
      const { put, ask } = opened();
      expect(await ask("sql", { id: await put(rows), query })).toContain("struct_pack");
    },
  );

  it("says how cells are spelled where one is not as it is compared", async () => {
    const { put, ask } = opened();
    const id = await put(rows.map((row) => ({ ...row, path: "C:\\new\\a|b.exe" })));
    const answer = await ask("sql", { id, query: "SELECT any_value(path) FROM output" });
    expect(answer).toContain(String.raw`C:\\new\\a\|b.exe`);
    expect(answer).toMatch(/\nIn these cells, /);
  });

  it.each(["ORDER BY random() LIMIT 500", "USING SAMPLE 500 ROWS", "ORDER BY id DESC -- all"])(
    "gives each row once over all pages, with %s",
    async (end) => {
      const { put, ask } = opened();
      const ids: string[] = [];
      let args: object | null = {
        id: await put(rows),
        query: `SELECT id, text FROM output ${end}`,
      };
      while (args !== null) {
        const text = await ask("sql", args);
        for (const [, id = ""] of text.matchAll(/^(\d+) \|/gm)) ids.push(id);
        args = JSON.parse(/\nNext call: \S+ (\{.*\})$/.exec(text)?.[1] ?? "null") as object | null;
      }
      const isAll = end.endsWith("all");
      expect(ids).toHaveLength(isAll ? rows.length : 500);
      expect(new Set(ids).size).toBe(ids.length);
      if (isAll) expect(ids).toEqual(rows.map(({ id }) => String(id)).toReversed());
    },
  );
});

describe("jq", () => {
  it.each([
    ["2024-03-10 12:05 AM", "%Y-%m-%d %I:%M %p", "2024-03-10T00:05:00Z"],
    ["2024-070", "%Y-%j", "2024-03-10T00:00:00Z"],
    // There is no such time in New York.
    ["2024-03-10T02:30:00Z", "%Y-%m-%dT%H:%M:%SZ", "2024-03-10T02:30:00Z"],
  ])("reads %s as %s, in any time zone", async (at, format, expected) => {
    vi.stubEnv("TZ", "America/New_York");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { put, ask } = opened();
    const id = await put(rows.map((row) => ({ ...row, at })));
    const filter = `.at | strptime("${format}") | mktime | ., (gmtime | mktime), (localtime | mktime) | todate`;
    const answer = await ask("jq", { id, filter, limit: 3 });
    expect(answer.split("\n").slice(0, 3)).toEqual(Array(3).fill(JSON.stringify(expected)));
  });

  it.each(["[.,inputs]", "[.] + [inputs]", "[inputs]"])(
    "takes each record once in %s",
    async (all) => {
      const { put, ask } = opened();
      const filter = `${all} | map(.id) | [length, min, max]`;
      expect(await ask("jq", { id: await put(rows), filter })).toMatch(/^\[600,0,599\]\n1 result/);
    },
  );

  it.each(["{inputs , id}", "{input,id,inputs}"])(
    "takes %s as keys of each record",
    async (filter) => {
      const { put, ask } = opened();
      const records = rows.map(({ id }) => ({ id, input: id, inputs: [id] }));
      const answer = await ask("jq", { id: await put(records), filter, limit: 2 });
      expect(answer).toMatch(/"inputs":\[0\].*\n.*"inputs":\[1\]/);
    },
  );

  it("says where the text around records is when a filter looks for it there", async () => {
    const { put, ask } = opened();
    const id = await put({ totals: { failed: 3 }, orders: rows });
    expect(await ask("jq", { id, filter: ".totals.failed" })).toContain("Line 1");
  });
});

describe("a search", () => {
  it("of records says that the text around them is not searched", async () => {
    const { put, ask } = opened();
    const id = await put({ error: "TIMEOUT", items: [{ text: "TIMEOUT" }, ...rows] });
    expect(await ask("grep", { id, pattern: "TIMEOUT" })).toMatch(/^1 matching line\. Line 1/);
  });

  it("that finds nothing says how lines are spelled", async () => {
    const { put, ask } = opened();
    const id = await put(rows.map((row) => ({ ...row, name: "Café" })));
    for (const pattern of ['say "hi"', "Caf\u00e8"])
      expect(await ask("grep", { id, pattern })).toMatch(/^0 matching .*as they are stored/s);
    expect(await ask("grep", { id, pattern: "Tea" })).not.toContain("stored");
  });
});

describe("a descriptor", () => {
  it("of an image names no tool that reads texts", async () => {
    const { offload } = opened({ plugins: [media({ views: ["image"] }), code()] });
    const png = Buffer.from("89504e470d0a1a0a0000000d4948445200000001000000010802000000", "hex");
    const end = Buffer.from("0000000049454e44ae426082", "hex");
    const data = Buffer.concat([png, Buffer.alloc(90_000), end]).toString("base64");
    const shown = JSON.stringify(await offload([{ type: "image", mimeType: "image/png", data }]));
    expect(shown).toContain("view_tool_output");
    expect(shown).not.toContain("code_tool_output");
  });

  it.each(['{"state":"open"}', ["a"], null])(
    "stands for an output with arguments %j",
    async (args) => {
      const { offload } = opened();
      expect((await offload(rows, { args: args as never })).outcome).toBe("offloaded");
    },
  );
});

describe("a title that two outputs have", () => {
  it("is that of the newer one, whichever was read last", async () => {
    const { put, ask } = opened();
    const older = await put(rows, { title: "totals" });
    await put([...rows, { id: 600 }], { title: "totals" });
    const count = { filter: "length", slurp: true };
    expect(await ask("jq", { id: older, ...count })).toMatch(/^600\n/);
    expect(await ask("jq", { id: "totals", ...count })).toMatch(/^601\n/);
  });
});

describe("a life that reading prolongs", () => {
  it("is known by title too, and its end is stated", async () => {
    let nowMs = Date.parse("2026-01-01T10:00:00Z");
    const now = (): number => nowMs;
    const retention = { ttlMs: 3_600_000, refreshOnRead: true };
    const { put, ask } = opened({ store: memoryStore({ now }), now, retention });
    const id = await put(rows, { title: "Orders of May" });
    const asks = async (reference: string) =>
      await ask("jq", { id: reference, filter: ".id", limit: 1 });
    for (const minutes of [50, 20]) {
      nowMs += minutes * 60_000;
      expect(await asks("Orders of May")).toMatch(/^0\n/);
    }
    nowMs += 61 * 60_000;
    expect(await asks(id)).toContain("expired at 2026-01-01T12:10:00.000Z");
  });
});

it("a cut answer counts characters as the other tools do", async () => {
  const { put, ask } = opened();
  const id = await put(Array.from({ length: 50 }, (_, at) => ({ at, text: "😀".repeat(8_000) })));
  const text = await ask("sql", { id, query: "SELECT text FROM output LIMIT 1" });
  const [, cut = ""] = /cut after ([\d,]+) characters/.exec(text) ?? [];
  expect([...text.matchAll(/😀/g)]).toHaveLength(Number(cut.replace(",", "")));
});

describe("code", () => {
  it("says of a value that the store did not take that it is not stored", async () => {
    const { ask } = opened({ store: memoryStore({ maxBytes: 1_000_000 }), plugins: [code()] });
    const text = await ask("code", { code: "return Array.from({ length: 900000 }, (_, i) => i)" });
    expect(text).toContain("What the code made is not stored: ");
    expect(text).not.toContain("which is lost");
  });

  it("shows a message of the library whole", async () => {
    const { put, ask } = opened({ plugins: [code()] });
    for (const at of [1, 2, 3, 4])
      await put([at, ...rows], { toolName: "list_organization_repositories" });
    const text = await ask("code", { code: 'return outputs.read("01AAAAAAAAAAAAAAAAAAAAAAAA")' });
    const names = text.match(/\S+01[0-9A-Z]{24}\.\w+/g) ?? [];
    expect(names.length).toBeGreaterThan(1);
    for (const name of names)
      expect(await ask("read", { id: name, end_line: 1 })).toContain("Line 1");
  });
});

it("a variable of jq may hold half a character", async () => {
  const { put, ask } = opened();
  const args = { id: await put(rows), filter: "$x", args: { x: "\ud83d" }, limit: 1 };
  expect(await ask("jq", args)).toContain("\ufffd");
});

it("a wrong name is answered with the one that differs by a space, first", async () => {
  const { put, ask } = opened();
  const cells = Array.from({ length: 300 }, (_, id) => `${id},Fe${id},7.8`).join("\n");
  const names = "atomicNumber, symbol, density";
  const id = await put(`${names}\n${cells}`);
  const text = await ask("sql", { id, query: "SELECT symbol FROM output" });
  expect(text).toMatch(/nearest first: " symbol"/);
});
