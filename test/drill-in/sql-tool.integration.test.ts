import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createDrillInTools } from "../../src/adapters/langchain/drill-in-tools.js";
import { queryAfter } from "../../src/drill-in/sql/answer/notes.js";
import { sqlEngine } from "../../src/drill-in/sql/engine.js";
import type { OffloadEvent } from "../../src/events.js";
import { createOffloader, type Offloader } from "../../src/offload/create-offloader.js";
import { atlatl } from "../../src/presets/atlatl/atlatl.js";
import { lro } from "../../src/presets/lro.js";
import { mcpagent } from "../../src/presets/mcpagent/mcpagent.js";
import { vectara } from "../../src/presets/vectara/vectara.js";
import { memoryStore } from "../../src/store/memory.js";
import { scopeOf } from "../../src/store/naming.js";
import type { StoredArtifact } from "../../src/types/artifact.js";
import type { OffloadResult } from "../../src/types/result.js";
import { fileStore } from "../../src/store/file/index.js";

const sql = sqlEngine();
const folder = mkdtempSync(join(tmpdir(), "sql-tool-"));
const SESSION = "s";
const SCOPE = scopeOf(SESSION);
const CITIES = ["Rome", "Oslo", "Lima"];
const RECORDS = Array.from({ length: 900 }, (_, n) => ({
  id: n,
  city: CITIES[n % 3],
  "unit price": n / 4,
  tags: ["a", `t${n % 5}`],
  place: { lat: n, lon: -n },
}));

const events: OffloadEvent[] = [];
let offloader: Offloader;
let artifact: StoredArtifact;
let descriptor: Record<string, unknown>;

function offloaded(result: OffloadResult): Extract<OffloadResult, { outcome: "offloaded" }> {
  if (result.outcome !== "offloaded") throw new Error(`the output is ${result.outcome}`);
  return result;
}

async function ask(query: unknown, id = artifact.id): Promise<{ text: string; failed: boolean }> {
  const { text, failed } = await offloader.drillIn.sql({ id, query }, SCOPE);
  return { text, failed };
}

beforeAll(async () => {
  offloader = createOffloader({
    store: fileStore({ directory: folder }),
    drillIn: { sql, maxOutputTokens: 300, timeoutMs: 25_000 },
    onEvent: (event) => events.push(event),
  });
  const result = await offloader.offload({
    toolName: "cities",
    value: RECORDS,
    sessionId: SESSION,
  });
  ({ storedArtifact: artifact } = offloaded(result));
  descriptor = JSON.parse(offloaded(result).text) as Record<string, unknown>;
});
afterAll(async () => {
  await offloader.close();
  rmSync(folder, { recursive: true });
});

describe("sql_tool_output", () => {
  it("answers with a table and its number of rows", async () => {
    const query =
      'SELECT city, count(*) AS n, sum("unit price") AS total FROM output GROUP BY city ORDER BY city;';
    expect(await ask(query)).toEqual({
      failed: false,
      text: `city | n | total\nLima | 300 | 33787.5\nOslo | 300 | 33712.5\nRome | 300 | 33637.5\n3 rows.`,
    });
  });

  it("reaches nested fields and lists by the names that the descriptor shows", async () => {
    const { text } = await ask(
      "SELECT max(place.lat), count(DISTINCT tag) FROM output, unnest(tags) AS t(tag)",
    );
    expect(text).toContain("899 | 6");
  });

  it("says that there are no rows", async () => {
    expect((await ask("SELECT id FROM output WHERE id < 0")).text).toBe(`id\n0 rows.`);
  });

  it.each([
    [
      "SELECT id FROM output WHERE city = 'rome'",
      'city is never "rome"; nearest: "Rome". Its values: "Lima" (300), "Oslo" (300), "Rome" (300).',
    ],
    [
      "SELECT count(*) FROM output AS o WHERE o.city IN ('Ro')",
      `city is never "Ro", but begins with it, as in "Rome": write starts_with(city, 'Ro').`,
    ],
    [
      "SELECT sum(id) FROM output WHERE city LIKE 'Z%'",
      'No city is LIKE "Z%". Its values: "Lima" (300), "Oslo" (300), "Rome" (300).',
    ],
  ])("tells which text no row has: %s", async (query, lesson) => {
    const { text, failed } = await ask(query);
    expect(failed).toBe(false);
    expect(text.split("\n").slice(-1)).toEqual([lesson]);
  });

  it.each([
    "SELECT id FROM output WHERE city = 'Rome' AND id < 0",
    "SELECT count(*) - 300 FROM output WHERE city = 'Rome'",
    "SELECT id FROM (SELECT 'x' AS city, 1 AS id) AS t WHERE 1 = 2",
    "SELECT city FROM output WHERE city = 'Rome' LIMIT 1",
    "WITH t AS (SELECT upper(city) AS city, id FROM output) SELECT * FROM t WHERE city = 'ROME' AND id < 0",
  ])("and nothing where it has them: %s", async (query) => {
    expect((await ask(query)).text).not.toMatch(/is never|Its values/);
  });

  it.each([
    [
      "SELECT * FROM others WHERE \"when\" = '2026-01-03'",
      `write starts_with("when", '2026-01-03').`,
    ],
    [
      "SELECT * FROM others WHERE \"due on\" = '2026-01-03'",
      `write starts_with("due on", '2026-01-03').`,
    ],
    ['SELECT year("due on") FROM others', "Convert with TRY_CAST(column AS TIMESTAMP) or"],
    ['SELECT * FROM others WHERE "due on" > current_date', "TRY_CAST(column AS TIMESTAMP) or"],
    ['SELECT avg("due on") FROM others', "Convert with TRY_CAST(column AS DOUBLE) or"],
    ["SELECT * FROM others WHERE mixed = 't'", "A JSON column is no text: write mixed->>'$'"],
    ["SELECT `mixed` FROM others", "Names stand in double quotes, and not between backticks."],
    ["SELECT sum(v) FROM lists", "The table lists has each record as JSON: write record->>'$.v'."],
  ])("says how it is written: %s", async (query, lesson) => {
    const others = Array.from({ length: 60 }, (_, n) => ({
      "due on": "2026-01-03T10:00:00Z",
      when: "2026-01-03T10:00:00Z",
      mixed: n % 2 === 0 ? n : "t",
    }));
    const lists = [...others.map((_, v) => ({ v, note: "words that take some room" })), null, 5];
    const { storedArtifact } = offloaded(
      await offloader.offload({ toolName: "both", value: { others, lists }, sessionId: SESSION }),
    );
    const { text } = await offloader.drillIn.sql({ id: storedArtifact.id, query }, SCOPE);
    expect(text).toContain(lesson);
  });

  it("is cut at the limit, and the next calls give all the rest in order", async () => {
    let args: unknown = {
      id: artifact.id,
      query: "SELECT id, city FROM output ORDER BY id DESC -- all",
    };
    const seen: string[] = [];
    while (args !== undefined) {
      const { text, tokens, failed } = await offloader.drillIn.sql(args, SCOPE);
      expect({ failed, isBounded: tokens <= 300 }).toEqual({ failed: false, isBounded: true });
      const lines = text.split("\n");
      seen.push(...lines.slice(1, -1));
      const last = lines.at(-1) ?? "";
      const next = /Next call: sql_tool_output (\{.*\})$/.exec(last)?.[1];
      args = next === undefined ? undefined : JSON.parse(next);
    }
    expect(seen).toEqual(RECORDS.toReversed().map(({ id, city }) => `${id} | ${city}`));
  });

  it("shows a part of a row that is too large, and says how to ask for less", async () => {
    const { text, failed } = await ask("SELECT repeat('word ', 5000) AS long FROM output LIMIT 1");
    expect(failed).toBe(false);
    expect(text).toMatch(/^long\nword word .*…\nThe first row is cut after .*substring/s);
  });

  it.each([
    ["SELECT citty FROM output", /No column is called citty\. Nearest: city\.$/],
    ["SELECT output.citi FROM output", /Nearest: city/],
    ["SELECT place.latt FROM output", /latt/],
    [
      "SELECT * FROM cities",
      /The table is called output; another output becomes one in with: {"cities": "<id>"}\./,
    ],
    [
      "SELECT id FROM output WHRE id = 1",
      /Parser Error: syntax error at or near "id"[\s\S]*LINE 1[\s\S]*\^/,
    ],
    ["SELECT unit price FROM output, x y z", /\nIn double quotes, names such as "unit price"\.$/],
    ["SELECT unit FROM output", /Nearest: "unit price"\.$/],
    [
      "SELECT city, count(*) days FROM output GROUP BY city",
      /\ndays is a word of SQL: as the name of a result, write AS before it\.$/,
    ],
    ["SELECT 'it's' FROM output", /\nA single quote within a text is written twice: 'it''s'\.$/],
    ["SELECT sum(city) FROM output", /TRY_CAST/],
    ["SELECT * FROM read_text('/etc/passwd')", /query the table output only/],
    [
      "DELETE FROM output",
      /Only reading is possible, and this begins with DELETE\. Write one SELECT/,
    ],
    ["SELECT 1; SELECT 2", /These are 2 statements; send one at a time/],
    ["", /no statement/i],
    [undefined, /query/],
    [7, /query/],
  ])("%j is answered by what to write instead", async (query, expected) => {
    const answer = await ask(query);
    expect(answer.failed).toBe(true);
    expect(answer.text).toMatch(expected);
  });

  it.each([
    ["SELECT group FROM output"],
    ["SELECT id FROM output ORDER BY group"],
    ["SELECT output.id, group, 1 AS n FROM output"],
    ["SELECT group, count(*) FROM output GROUP BY group"],
  ])("%s is told that a column that is a word of SQL takes quotes", async (query) => {
    const { storedArtifact } = offloaded(
      await offloader.offload({
        toolName: "teams",
        value: RECORDS.map(({ id, city }) => ({ id, group: city })),
        sessionId: SESSION,
      }),
    );
    expect((await ask(query, storedArtifact.id)).text).toMatch(
      /\ngroup is a word of SQL: as a column, write it in double quotes, "group"\.$/,
    );
    expect((await ask('SELECT "group" FROM output LIMIT 1', storedArtifact.id)).text).toContain(
      "Rome",
    );
  });

  it("tells the listeners and the totals like the other tools", async () => {
    events.length = 0;
    const before = offloader.stats(SESSION).drillIns;
    await ask("SELECT 1");
    expect(events).toMatchObject([
      { type: "drilled-in", tool: "sql_tool_output", artifactId: artifact.id, failed: false },
    ]);
    expect(offloader.stats(SESSION).drillIns).toBe(before + 1);
  });

  it("answers for another session as for an unknown id", async () => {
    const { text, failed } = await offloader.drillIn.sql(
      { id: artifact.id, query: "SELECT 1" },
      scopeOf("another"),
    );
    expect({ text, failed }).toMatchObject({
      failed: true,
      text: expect.stringMatching(/No stored output/),
    });
  });

  it("has the lines of text as a table, numbered", async () => {
    const log = Array.from({ length: 900 }, (_, n) => `12:00:${n} host-${n % 3} answered`).join(
      "\n",
    );
    const { storedArtifact } = offloaded(
      await offloader.offload({ toolName: "log", value: log, sessionId: SESSION }),
    );
    const query = String.raw`SELECT regexp_extract(text, 'host-\d') AS host, count(*), max(line) FROM output GROUP BY 1 ORDER BY 1`;
    expect((await ask(query, storedArtifact.id)).text).toMatch(
      /^host \| .*\nhost-0 \| 300 \| 898\nhost-1 \| 300 \| 899\nhost-2 \| 300 \| 900\n3 rows/,
    );
  });

  it("reads outputs of a store without files", async () => {
    const own = createOffloader({ store: memoryStore(), drillIn: { sql, timeoutMs: 25_000 } });
    const { storedArtifact } = offloaded(
      await own.offload({ toolName: "cities", value: RECORDS, sessionId: SESSION }),
    );
    const query = "SELECT sum(id) FROM output";
    const { text } = await own.drillIn.sql({ id: storedArtifact.id, query }, SCOPE);
    expect(text).toContain("404550");
    await own.close();
  });
});

describe("what the model is told", () => {
  it("the descriptor has the columns with their types, and names the tool", () => {
    expect(Object.keys(descriptor["line_schema"] as object)).toEqual([
      "id",
      "city",
      "unit price",
      "tags",
      "place.lat",
      "place.lon",
    ]);
    expect(descriptor["guidance"]).toContain(
      "Pass file_path as id. jq_tool_output filters each record; slurp=true where marked [slurp]. " +
        "sql_tool_output runs one SELECT over the table output, the fields as columns, nested as place.lat.",
    );
  });

  it("without an engine there is no tool and no word of it", async () => {
    const own = createOffloader({ store: memoryStore(), drillIn: { sql: false } });
    const { text, storedArtifact } = offloaded(
      await own.offload({ toolName: "cities", value: RECORDS, sessionId: SESSION }),
    );
    expect(text.toLowerCase()).not.toContain("sql");
    expect(createDrillInTools(own).map(({ name }) => name)).not.toContain("sql_tool_output");
    const answer = await own.drillIn.sql({ id: storedArtifact.id, query: "SELECT 1" }, SCOPE);
    expect(answer).toMatchObject({ failed: true, text: "SQL is not available here." });
    await own.close();
  });

  it("the tool is in the set, by the name that the options give", () => {
    const own = createOffloader({
      store: memoryStore(),
      drillIn: { sql, names: { sql: "ask_sql" } },
    });
    expect(createDrillInTools(own).map(({ name }) => name)).toEqual([
      "read_tool_output",
      "grep_tool_output",
      "jq_tool_output",
      "ask_sql",
    ]);
    const without = createOffloader({
      store: memoryStore(),
      drillIn: { sql, names: { sql: false } },
    });
    expect(createDrillInTools(without)).toHaveLength(3);
  });

  it.each([
    ["lro", lro()],
    ["atlatl", atlatl()],
    ["mcpagent", mcpagent()],
    ["vectara", vectara()],
  ])("%s tells of it too, and it answers", async (_, preset) => {
    const own = createOffloader({
      ...preset,
      store: memoryStore(),
      threshold: { tokens: 1000 },
      drillIn: { ...preset.drillIn, sql, timeoutMs: 25_000 },
    });
    const { text, storedArtifact } = offloaded(
      await own.offload({ toolName: "cities", value: RECORDS, sessionId: SESSION }),
    );
    expect(text).toContain("sql_tool_output");
    const query = "SELECT count(*) FROM output";
    const answer = await own.drillIn.sql({ id: storedArtifact.id, query }, SCOPE);
    expect(answer.text).toContain("\n900\n");
    await own.close();
  });

  it("rejects an engine that is none", () => {
    expect(() => createOffloader({ drillIn: { sql: {} as never } })).toThrow(/drillIn/);
  });
});

describe("the query after the first rows", () => {
  it("grows by its offset only, and survives comments and semicolons", () => {
    const first = queryAfter("SELECT a FROM output -- c\n ORDER BY a -- d\n;", 10);
    expect(first).toBe("FROM (\nSELECT a FROM output -- c\n ORDER BY a\n) OFFSET 10");
    expect(queryAfter(first, 5)).toBe(
      "FROM (\nSELECT a FROM output -- c\n ORDER BY a\n) OFFSET 15",
    );
  });
});
