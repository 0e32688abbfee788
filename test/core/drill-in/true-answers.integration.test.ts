import { describe, expect, it, onTestFinished, vi } from "vitest";

import type { OffloadOptions } from "../../../src/core/options/options.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { code } from "../../../src/plugins/code/index.js";
import { media } from "../../../src/plugins/media/media.js";
import { openedOffloaders, sharedOffloader } from "../../opened-offloaders.js";
import { CALL, inSession } from "./in-session.js";
import { offerTools } from "../../../src/plugins/code/request.js";

const open = openedOffloaders();
const opened = (options?: OffloadOptions) => inSession(open(options).offloader);

const offloader = sharedOffloader({ drillIn: { sql: {} }, plugins: [code()] });
const { put, ask, run } = inSession(offloader);

const rows = Array.from({ length: 600 }, (_, id) => ({
  id,
  kind: `k${id % 3}`,
  text: "word ".repeat(8),
}));

/** Stores the rows, each with more fields. */
const rowsWith = async (more: (row: (typeof rows)[number]) => object): Promise<string> =>
  (await put(rows.map((row) => ({ ...row, ...more(row) })))).id;

describe("jq with one result that is too large", () => {
  it.each([
    [{ filter: "." }, true],
    [{ filter: ".", slurp: true }, false],
    [{ filter: "{all: [inputs]}" }, false],
    [{ filter: "[.text, inputs]" }, false],
  ])("%o offers a next call only where more may follow", async (args, isOffered) => {
    const { id } = await put(["a", "b", "c"].map((key) => ({ key, text: key.repeat(300_000) })));
    const answer = await ask("jq", { id, ...args });
    expect(answer).toContain("too large");
    expect(answer.includes("Next call")).toBe(isOffered);
    expect(answer.includes("ran once")).toBe(args.filter.startsWith("{"));
  });
});

describe("SQL", () => {
  it("of a field of several types, nested or in another case, says how to compare it, and that works", async () => {
    const id = await rowsWith((row) => {
      const price = row.id === 0 ? "N/A" : row.id;
      return { price, odd: { price } };
    });
    const of = (query: string) => ask("sql", { id, query });
    const error = await of("SELECT count(*) FROM output WHERE price > 100");
    const [, number = ""] = /(TRY_CAST\(.*? AS DOUBLE\))/.exec(error) ?? [];
    const most = await of(`SELECT max(${number.replace("field", "price")}) AS most FROM output`);
    expect(most).toMatch(/^most\n599/);
    expect(most).not.toContain("TRY_CAST");
    for (const selected of ["max(odd.price)", "median(Price)"])
      expect(await of(`SELECT ${selected} FROM output`)).toContain("TRY_CAST");
    for (const selected of ["max(id)", "max(id) AS prices"])
      expect(await of(`SELECT ${selected} FROM output`)).not.toContain("TRY_");
  });

  it("and raw jq have a line for each row, also for an empty text", async () => {
    const id = await rowsWith((row) => ({ who: row.id % 3 === 0 ? "" : "Ann" }));
    const query = "SELECT who FROM output ORDER BY id LIMIT 4";
    expect(await ask("sql", { id, query })).toBe("who\n\nAnn\nAnn\n\n4 rows.");
    const first = await ask("jq", { id, filter: ".who", raw: true, limit: 4 });
    expect(first).toMatch(/^\nAnn\nAnn\n\nMore than 4/);
  });

  it("refuses values that have no names, and says how cells are spelled that are not as they are compared", async () => {
    const id = await rowsWith(() => ({ path: "C:\\new\\a|b.exe" }));
    for (const selected of ["DISTINCT (kind, id > 9) FROM output", "list_zip([1], ['a'])"])
      expect(await ask("sql", { id, query: `SELECT ${selected}` })).toContain("struct_pack");
    const answer = await ask("sql", { id, query: "SELECT any_value(path) FROM output" });
    expect(answer).toContain(String.raw`C:\\new\\a\|b.exe`);
    expect(answer).toMatch(/\nIn these cells, /);
  });

  it.each(["ORDER BY random() LIMIT 500", "USING SAMPLE 500 ROWS", "ORDER BY id DESC -- all"])(
    "gives each row once over all pages, with %s",
    async (end) => {
      const ids: string[] = [];
      const query = `SELECT id, text FROM output ${end}`;
      let args: object | null = { id: await rowsWith(() => ({})), query };
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

  it("counts the characters of a cut answer as the other tools do", async () => {
    const { id } = await put(
      Array.from({ length: 50 }, (_, at) => ({ at, text: "😀".repeat(8_000) })),
    );
    const text = await ask("sql", { id, query: "SELECT text FROM output LIMIT 1" });
    const [, cut = ""] = /cut after ([\d,]+) characters/.exec(text) ?? [];
    expect([...text.matchAll(/😀/g)]).toHaveLength(Number(cut.replace(",", "")));
  });
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
    const { id } = await put(rows.map((row) => ({ ...row, at })));
    const filter = `.at | strptime("${format}") | mktime | ., (gmtime | mktime), (localtime | mktime) | todate`;
    const answer = await ask("jq", { id, filter, limit: 3 });
    expect(answer.split("\n").slice(0, 3)).toEqual(Array(3).fill(JSON.stringify(expected)));
  });

  it("takes each record once by its inputs, and keys of that name as keys", async () => {
    const id = await rowsWith((row) => ({ input: row.id, inputs: [row.id] }));
    for (const all of ["[.,inputs]", "[.] + [inputs]", "[inputs]"]) {
      const filter = `${all} | map(.id) | [length, min, max]`;
      expect(await ask("jq", { id, filter })).toMatch(/^\[600,0,599\]\n1 result/);
    }
    for (const filter of ["{inputs , id}", "{input,id,inputs}"])
      expect(await ask("jq", { id, filter, limit: 2 })).toMatch(
        /"inputs":\[0\].*\n.*"inputs":\[1\]/,
      );
    const half = { id, filter: "$x", args: { x: "\ud83d" }, limit: 1 };
    expect(await ask("jq", half)).toContain("\ufffd");
  });

  it("and grep say where the text around records is", async () => {
    const { id } = await put({ totals: { failed: 3 }, orders: [{ text: "failed" }, ...rows] });
    expect(await ask("jq", { id, filter: ".totals.failed" })).toContain("Line 1");
    expect(await ask("grep", { id, pattern: "failed" })).toMatch(/^1 matching line\. Line 1/);
  });
});

describe("a descriptor", () => {
  it("of an image names no tool that reads texts", async () => {
    const { offloader } = open({ plugins: [media({ views: ["image"] }), code()] });
    const png = Buffer.from("89504e470d0a1a0a0000000d4948445200000001000000010802000000", "hex");
    const end = Buffer.from("0000000049454e44ae426082", "hex");
    const data = Buffer.concat([png, Buffer.alloc(90_000), end]).toString("base64");
    const value = [{ type: "image", mimeType: "image/png", data }];
    const shown = await offloader.offload({ toolName: "t", sessionId: "s", value });
    expect(JSON.stringify(shown)).toContain("view_tool_output");
    expect(JSON.stringify(shown)).not.toContain("code_tool_output");
  });

  it.each(['{"state":"open"}', ["a"], null])(
    "stands for an output with arguments %j",
    async (args) => {
      const { offload } = opened();
      expect((await offload(rows, { args: args as never })).outcome).toBe("offloaded");
    },
  );
});

describe("a title", () => {
  it("that two outputs have is that of the newer one, whichever was read last", async () => {
    const { id: older } = await put(rows, { title: "totals" });
    await put([...rows, { id: 600 }], { title: "totals" });
    const count = { filter: "length", slurp: true };
    expect(await ask("jq", { id: older, ...count })).toMatch(/^600\n/);
    expect(await ask("jq", { id: "totals", ...count })).toMatch(/^601\n/);
  });

  it("prolongs a life by reading too, whose end is stated", async () => {
    let nowMs = Date.parse("2026-01-01T10:00:00Z");
    const now = (): number => nowMs;
    const retention = { ttlMs: 3_600_000, refreshOnRead: true };
    const { put, ask } = opened({ store: memoryStore({ now }), now, retention });
    const { id } = await put(rows, { title: "Orders of May" });
    for (const minutes of [50, 20]) {
      nowMs += minutes * 60_000;
      const args = { id: "Orders of May", filter: ".id", limit: 1 };
      expect(await ask("jq", args)).toMatch(/^0\n/);
    }
    nowMs += 61 * 60_000;
    expect(await ask("jq", { id, filter: "." })).toContain("expired at 2026-01-01T12:10:00.000Z");
  });
});

describe("code", () => {
  it("shows a message of the library whole", async () => {
    for (const at of [1, 2, 3, 4])
      await put([at, ...rows], { toolName: "list_organization_repositories" });
    const text = await ask("code", { code: 'return outputs.read("01AAAAAAAAAAAAAAAAAAAAAAAA")' });
    const names = text.match(/\S+01[0-9A-Z]{24}\.\w+/g) ?? [];
    expect(names.length).toBeGreaterThan(1);
    for (const name of names)
      expect(await ask("read", { id: name, end_line: 1 })).toContain("Line 1");
  });

  it("says which result is cut", async () => {
    const { id } = await put(["a", "b"].map((text) => [text.repeat(90_000)]));
    expect(await ask("jq", { id, filter: ".", skip: 1 })).toContain("Results 2 to 2 of 2. What is");
  });

  it("reads a value as it has saved it", async () => {
    const value = JSON.stringify({ total: 2, rows: [{ a: 1 }, { a: 2 }] });
    const code = `return outputs.read(outputs.save("a", ${value}))`;
    expect(await ask("code", { code })).toContain(value);
  });

  it("bounds the outputs that one call opens and saves", async () => {
    const many = await run("code", {
      code: 'for (let n = 0; ; n += 1) outputs.save("n" + n, [n])',
    });
    expect(many.kept).toHaveLength(32);
    expect(many.text).toContain("One call saves at most 32 outputs; put more into each.");
    const code =
      'for (let n = 0; ; n += 1) { try { outputs.open("a" + n) } catch (e) { if (!e.message.startsWith("No stored")) throw e; } }';
    expect(await ask("code", { code })).toContain("One call opens at most 256 outputs");
  });

  it("counts no large results of tools as outputs that the code opens", async () => {
    const results = await Promise.all(Array.from({ length: 66 }, (_, n) => put([n])));
    const state = new Map<string, unknown>();
    offerTools(state, {
      names: ["list"],
      call: async () => ({ storedId: results.pop()?.id ?? "" }),
    });
    const code = "let n = 0; while (n < 66) for (const row of await tools.list()) n += 1; return n";
    const { text } = await offloader.drillIn.run("code", { code }, { ...CALL, state });
    expect(text).toBe("66");
  });
});

it("code over a store that hands nothing over ends at the limit, and when it is aborted", async () => {
  const store = memoryStore();
  const { offloader: own } = open({ store, plugins: [code()], drillIn: { timeoutMs: 200 } });
  const { id } = await inSession(own).put(rows);
  vi.spyOn(store, "read").mockImplementation(() => new Promise(() => undefined));
  const args = { code: `return [...outputs.open("${id}")].length` };
  expect(await inSession(own).ask("code", args)).toContain("stopped after 0.2 s");
  const run = own.drillIn.run("code", args, { ...CALL, signal: AbortSignal.timeout(20) });
  await expect(run).rejects.toMatchObject({ name: "TimeoutError" });
});
