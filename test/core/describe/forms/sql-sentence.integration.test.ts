import { afterAll, describe, expect, it } from "vitest";
import { createOffloader } from "../../../../src/core/pipeline/create-offloader.js";
import { memoryStore } from "../../../../src/core/store/memory.js";
import { asker, descriptorOf, SESSION } from "../../drill-in/sets/reach.js";
import { times } from "../samples.js";

const offloader = createOffloader({
  store: memoryStore(),
  drillIn: { sql: {}, timeoutMs: 25_000, maxAnswerTokens: 20_000 },
});
afterAll(() => offloader.close());

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

describe("what is said of the table of the SQL tool", () => {
  it.each(Object.entries(OUTPUTS))("is true of %s", async (_, value) => {
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
  });
});
