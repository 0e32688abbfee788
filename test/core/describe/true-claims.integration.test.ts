import { describe, expect, it } from "vitest";

import { asker, descriptorOf, SESSION } from "../drill-in/sets/reach.js";
import { resultText } from "../../../src/core/pipeline/inline.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { extract } from "../../../src/presets/lro/extract.js";
import { times } from "./samples.js";
import { openedOffloaders, sharedOffloader } from "../../opened-offloaders.js";

interface Told {
  readonly summary: Record<string, unknown>;
  readonly line_schema?: Record<string, string>;
  readonly guidance: string;
}

const open = openedOffloaders();

function opened(options?: OffloadOptions) {
  const { offloader } = open(options);
  let id = "";
  const text = async (value: unknown): Promise<string> => {
    const result = await offloader.offload({ toolName: "t", sessionId: "s", value });
    if (result.outcome === "offloaded") ({ id } = result.storedArtifact);
    return resultText(result);
  };
  return {
    text,
    told: async (value: unknown): Promise<Told> => JSON.parse(await text(value)) as Told,
    async ask(key: string, args: object): Promise<string> {
      const tool = offloader
        .tools("s")
        .find(({ name }) => name === offloader.options.toolNames[key]);
      return (await tool?.run({ id, ...args }))?.text ?? "";
    },
  };
}

describe("what a descriptor says", () => {
  it("of cells with exponents is what SQL computes with", async () => {
    const rows = times(400, (id) => `G${id},${id % 4 ? (0.001 * (id + 1)).toFixed(4) : "1.5e-10"}`);
    const { told, ask } = opened();
    const { line_schema } = await told(`gene,pvalue\n${rows.join("\n")}`);
    expect(line_schema?.["pvalue"]).toMatch(/^number .* to 0\.4/);
    const query = "SELECT max(pvalue) = 0.4 AS is FROM output";
    expect(await ask("sql", { query })).toContain("true");
  });

  it("of a map that is stored as it came names the way to its records", async () => {
    const { told, ask } = opened({ fileFormat: "original" });
    const entries = times(700, (id) => [`k${id}`, { id, name: `name ${id}` }] as const);
    const { guidance } = await told({ users: Object.fromEntries(entries) });
    const [, path] = /sees the document: (.*)\[\] are records/.exec(guidance) ?? [];
    const filter = `[${path}[] | select(.value.id < 9)] | length`;
    expect(await ask("jq", { filter })).toMatch(/^9\n/);
  });

  it("of numbers that are text says what works: not for those that a double cannot hold", async () => {
    const rows = times(300, (id) => ({
      id: `12345678901234567${id}`,
      price: id % 4 ? `${id}.5` : "",
    }));
    const { told, ask } = opened();
    const { guidance } = await told(rows);
    const [, sql = ""] =
      /numbers that are text: (.*?\)) in SQL, tonumber\? in jq/.exec(guidance) ?? [];
    expect(await ask("sql", { query: `SELECT sum(${sql}) AS s FROM output` })).toMatch(
      /^s\n33862\.5/,
    );
    expect(await ask("jq", { filter: "[inputs | .price | tonumber?] | add" })).toMatch(/^33862\.5/);
  });

  it("of records that are not all objects says so", async () => {
    const { told } = opened();
    const page = { page: 1, total: 500 };
    const { line_schema } = await told([page, times(500, (id) => ({ id, name: `name ${id}` }))]);
    expect(line_schema?.["(record)"]).toMatch(/1× \{page/);
    expect(line_schema?.["[].name"]).toMatch(/^text/);
  });

  it.each([
    ["is not done yet", { complete: false }],
    ["has steps", { step: 3, next: 4 }],
  ])("of data that %s claims no other page", async (_, around) => {
    const tasks = times(500, (id) => ({ id, title: `Task ${id}` }));
    const { summary } = await opened().told({ ...around, tasks });
    expect(summary).not.toHaveProperty("complete");
    expect(summary).not.toHaveProperty("next_page");
  });
});

describe("what SQL computes with", () => {
  it("keeps texts apart that are one number, and prices stay numbers", async () => {
    const { told, ask } = opened();
    const version = (id: number): string => ["3.9", "3.10", "3.1"][id % 3] ?? "";
    const rows = times(600, (id) => `p${id},${version(id)},${(id / 4).toFixed(2)}`);
    const { line_schema } = await told(`pkg,python,price\n${rows.join("\n")}`);
    expect(line_schema?.["python"]).toMatch(/^text/);
    expect(line_schema?.["price"]).toMatch(/^number/);
    const query = "SELECT count(DISTINCT python) AS n, max(price) AS most FROM output";
    expect(await ask("sql", { query })).toContain("3 | 149.75");
  });

  it("is typed in deep objects", async () => {
    const { told, ask } = opened();
    const deep = (n: number) => ({ a: { b: { c: { d: { e: { f: { n } } } } } } });
    await told(times(400, (id) => ({ id, name: `name of ${id}`, ...deep(id) })));
    const sum = "SELECT sum(a.b.c.d.e.f.n) AS n FROM output";
    expect(await ask("sql", { query: sum })).toContain("79800");
  });
});

describe("where the only query is that of the extract tool", () => {
  const records = JSON.stringify(times(800, (id) => ({ id, name: `name ${id}` })));
  const text = times(4_000, (id) => `note ${id}`).join("\n");

  it.each([
    ["records", records, "filters each record"],
    ["text", text, "sees each line as a string"],
  ])("%s name it, and it works", async (_, value, on) => {
    const drillIn = { names: { jq: false, sql: false } } as const;
    const { told, ask } = opened({ plugins: [extract()], drillIn, threshold: { tokens: 1_000 } });
    expect((await told(value)).guidance).toContain(`(file_path, query) ${on}`);
    expect(await ask("extract", { query: "[inputs] | length" })).toMatch(/^(?:800|4000)\b/);
  });
});

describe("scores of search hits", () => {
  const about = { memory_type: "semantic", content: "text ".repeat(30) };
  const hits = times(100, (id) => ({
    memory: { id: `m${id}`, title: `Title ${id}`, ...about },
    score: id / 100,
  }));

  it.each(["generic", "bare"] as const)("are told as a range in the form %s", async (form) => {
    const { summary } = await opened({ describe: { form } }).told(hits);
    expect(summary["score_range"]).toEqual([0, 0.99]);
  });
});

it("a descriptor of several sets writes long paths whole, and tells sets apart that differ at their end", async () => {
  const records = (count: number, field: string): object[] =>
    times(count, (id) => ({ id, [field]: `${field} ${id}` }));
  const long = "segment".repeat(12);
  const { summary, line_schema } = await opened().told({
    [`${long}_one`]: records(400, "first"),
    [`${long}_two`]: records(290, "second"),
    [`${long}_three`]: "a",
    [`${long}_four`]: "b",
  });
  const [one, two] = summary["records_at"] as { path: string; table: string }[];
  expect([one?.path, two?.path]).toEqual([`.${long}_one`, `.${long}_two`]);
  expect(Object.keys(line_schema ?? {})).toEqual([one?.table, two?.table]);
  expect(JSON.stringify(line_schema)).toMatch(/first.*second/);
  expect(summary["rest"]).toEqual({ [`.${long}_three`]: "a", [`.${long}_four`]: "b" });
});

const offloader = sharedOffloader({
  drillIn: { sql: {}, timeoutMs: 25_000, maxAnswerTokens: 20_000 },
});

const OUTPUTS: Readonly<Record<string, unknown>> = {
  "records of plain fields": times(300, (id) => ({
    id,
    name: `n${id}`,
    price: id / 4,
    tags: ["a"],
    at: { lat: id },
  })),
  "a field of two types": times(300, (id) => ({
    id,
    Title: id === 7 ? 21 : `n${id}`,
    "of two": id % 2 ? 1 : "x",
    left: id % 2 ? 1 : "x",
  })),
  "a nested field of two types": times(300, (id) => ({ id, in: { a: id % 2 ? 1 : "x" } })),
  "a map of few keys and one of many": times(300, (id) => ({
    id,
    few: { [`k${id % 30}`]: "text" },
    many: { [`k${id}`]: { name: "text" } },
  })),
  "names that no columns can have side by side": times(300, (id) => ({ id, a: 1, A: 2 })),
  "an object of too many fields": times(60, (id) => ({
    id,
    big: Object.fromEntries(
      times(130, (at) => [`f${String.fromCodePoint(97 + (at % 26))}${"x".repeat(at / 26)}`, at]),
    ),
  })),
  "names that differ in case": times(300, (id) => ({ id: `${id}`, ID: id })),
  "a field without a name": times(300, (id) => ({ id, "": `n${id}` })),
  "a table": [
    "id,price,code,mixed",
    ...times(300, (id) => `${id},${id / 4},0${id},${id === 9 ? "n/a" : id}`),
  ].join("\n"),
};

/** What the descriptor says of a field, as the table would have it. */
function typeOf(said: string): RegExp {
  if (said.startsWith("integer")) return /^(?:BIGINT|HUGEINT)$/;
  if (said.includes("×") && / or \d+× /.test(said)) return /^JSON$/;
  if (said.startsWith("text (numbers)")) return /^VARCHAR$/;
  if (said.startsWith("number")) return /^(?:DOUBLE|DECIMAL.*)$/;
  if (said.startsWith("text")) return /^VARCHAR$/;
  if (said.startsWith("list")) return /\[\]$|^JSON$/;
  return /^(?:STRUCT.*|BOOLEAN|JSON)$/;
}

it.each(Object.entries(OUTPUTS))(
  "what is said of the table of the SQL tool is true of %s",
  async (_, value) => {
    const stored = await offloader.put(value, { sessionId: SESSION });
    const { guidance, line_schema: schema } = descriptorOf(stored);
    const answer = await asker(offloader, stored)("sql", {
      query: "SELECT column_name || '\t' || column_type AS c FROM (DESCRIBE output)",
    });
    const columns = new Map(
      [...answer.matchAll(/^"?(.*?)\t([A-Z][^"\n]*)/gm)].map(([, name = "", type = ""]) => [
        name,
        type,
      ]),
    );
    expect(columns.size).toBeGreaterThan(0);
    const said = /the table is named output, (.*?)\.(?: |$)/.exec(guidance)?.[1] ?? "";
    if (columns.has("record")) {
      expect(guidance).not.toContain("TRY_CAST");
      expect([columns.size, said]).toEqual([1, "its one column, record, has each record as JSON"]);
      return;
    }
    const [, jsonNames, example] = /of type JSON: (.*?); as text (.*?->>'\$')/.exec(said) ?? [];
    const json = jsonNames?.split(", ") ?? [];
    const stated = json.map((name) => (name.startsWith('"') ? JSON.parse(name) : name));
    const found = [...columns].filter(([, type]) => type === "JSON").map(([name]) => name);
    expect(stated).toEqual(found);
    for (const [name, text] of Object.entries(schema)) {
      const column = columns.get(name === "" ? "_empty_" : (name.split(".")[0] ?? ""));
      if (!stated.includes(name) && !name.includes(".")) {
        expect([name, column]).toEqual([name, expect.stringMatching(typeOf(String(text)))]);
      }
    }
    expect(said.includes("_empty_")).toBe(columns.has("_empty_"));
    // Names stand as a query may have them, words of SQL in quotes.
    for (const name of [...json, example].filter((one) => one !== undefined)) {
      const query = `SELECT count(${name}) AS n FROM output`;
      expect(await asker(offloader, stored)("sql", { query })).toMatch(/^n\n\d+\n/);
    }
  },
);
