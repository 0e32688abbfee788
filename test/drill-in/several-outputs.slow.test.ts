import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createDrillIn, type OwnDrillIn, type DrillInAnswer } from "../../src/drill-in/drill-in.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../src/drill-in/shared/limits.js";
import { sqlEngine } from "../../src/drill-in/sql/engine.js";
import type { StoredArtifact } from "../../src/types/artifact.js";
import {
  addRecords,
  createTestStore,
  foreignId,
  MEASURE,
  OTHER_SCOPE,
  SCOPE,
  TOOL_NAMES,
} from "./stored-outputs.js";

const store = createTestStore();
const reads: string[] = [];
const heard: unknown[] = [];

const users = addRecords(store, [
  { id: 1, name: "Ada" },
  { id: 2, name: "Bob" },
  { id: 3, name: "Cem" },
]);
const orders = addRecords(store, [
  { user_id: 1, amount: 10 },
  { user_id: 1, amount: 5 },
  { user_id: 3, amount: 7 },
]);
const log = store.add("one\ntwo\n", { kind: "log" });
const csv = store.add("id,city\n1,Rome\n3,Oslo\n", { kind: "csv", layout: "rows" });
const document = store.add('{"rates":{"EUR":1.5},"day":"Monday"}', {
  kind: "json-document",
  layout: "document",
});
const list = store.add('[{"id":1,"tag":"x"},{"id":2,"tag":"y"}]', {
  kind: "json-document",
  layout: "document",
});
const foreign = addRecords(store, [{ secret: "s3cret" }], { scope: OTHER_SCOPE });

let drillIn: OwnDrillIn;
beforeAll(() => {
  drillIn = createDrillIn({
    store,
    measure: MEASURE,
    limits: { ...DEFAULT_DRILL_IN_LIMITS, timeoutMs: 25_000, maxQueueMs: 25_000 },
    names: { ...TOOL_NAMES, sql: "sql_tool_output" },
    sql: sqlEngine(),
    now: () => store.nowMs,
    onRead: async ({ id }) => void reads.push(id),
    onAnswer: (info) => heard.push(info),
  });
});
afterAll(() => drillIn.close());

type Others = Readonly<Record<string, unknown>>;

function jq(filter: string, others: unknown, id = users.id): Promise<DrillInAnswer> {
  return drillIn.jq({ id, filter, with: others }, SCOPE);
}

function sql(query: string, others: unknown, id = users.id): Promise<DrillInAnswer> {
  return drillIn.sql({ id, query, with: others }, SCOPE);
}

/** The answer of each tool to a call that is as good as it can be but for `with`. */
async function both(others: Others): Promise<DrillInAnswer[]> {
  return [await jq(".", others), await sql("SELECT 1", others)];
}

describe("a join of two outputs", () => {
  it("in jq: the other output's records are a variable", async () => {
    const filter = ". as $u | {name, spent: [$orders[] | select(.user_id == $u.id).amount] | add}";
    expect(await jq(filter, { orders: orders.id })).toMatchObject({
      failed: false,
      foundCount: 3,
      text: `{"name":"Ada","spent":15}\n{"name":"Bob","spent":null}\n{"name":"Cem","spent":7}\n3 results.`,
    });
  });

  it("in SQL: the other output is a table", async () => {
    const query =
      "SELECT name, sum(amount) AS spent FROM output JOIN orders ON user_id = id GROUP BY name ORDER BY name";
    expect(await sql(query, { orders: orders.id })).toMatchObject({
      failed: false,
      foundCount: 2,
      text: `name | spent\nAda | 15\nCem | 7\n2 rows.`,
    });
  });

  it("takes with as JSON text, file names and paths, and the same output twice", async () => {
    const asText = JSON.stringify({
      o: orders.fileName,
      u: `/tmp/x/${users.fileName}`,
      v: users.id,
    });
    const counted = await jq("[$o, $u, $v | length]", asText);
    expect(counted.text.split("\n")[0]).toBe("[3,3,3]");
    const joined = await sql(
      "SELECT count(*) FROM output JOIN u USING (id) JOIN v USING (id), o",
      asText,
    );
    expect(joined.text).toContain("\n9\n");
  });

  it("goes on with all outputs in the next call", async () => {
    const many = addRecords(
      store,
      Array.from({ length: 3000 }, (_, n) => ({ id: n })),
    );
    const others = { orders: orders.id };
    const first = await jq("{id, known: ($orders | length)}", others, many.id);
    const next = /Next call: jq_tool_output (\{.*\})$/.exec(first.text)?.[1] ?? "";
    expect(JSON.parse(next)).toMatchObject({ id: many.id, with: others });
    const shown = first.text.split("\n").length - 1;
    const second = await drillIn.jq(JSON.parse(next), SCOPE);
    expect(second.text).toMatch(new RegExp(`^\\{"id":${shown},"known":3\\}`));

    const rows = await sql(
      "SELECT output.id, amount FROM output, orders ORDER BY ALL",
      others,
      many.id,
    );
    const after = /Next call: sql_tool_output (\{.*\})$/.exec(rows.text)?.[1] ?? "";
    expect(JSON.parse(after)).toMatchObject({ id: many.id, with: others });
    expect((await drillIn.sql(JSON.parse(after), SCOPE)).failed).toBe(false);
  });

  it("is told with all artifacts, each of which counts as read", async () => {
    reads.length = 0;
    heard.length = 0;
    const answer = await jq("1", { a: orders.id, b: users.id, c: orders.id, d: csv.id });
    expect(answer).toMatchObject({
      artifactId: users.id,
      otherArtifactIds: [orders.id, csv.id],
    });
    expect(reads).toEqual([users.id, orders.id, csv.id]);
    await jq("1", {});
    expect(heard).toMatchObject([
      { artifactId: users.id, otherArtifactIds: [orders.id, csv.id], failed: false },
      { artifactId: users.id },
    ]);
    expect(heard[1]).not.toHaveProperty("otherArtifactIds");
  });
});

describe("every layout, in both places", () => {
  const filters: [string, StoredArtifact, string][] = [
    ["records", orders, '["array",3]'],
    ["rows", csv, '["array",2]'],
    ["a document, which is itself", document, '["object",2]'],
    ["a document that is a list", list, '["array",2]'],
    ["text, which is its lines", log, '["array",2]'],
  ];
  it.each(filters)("jq takes %s", async (_, artifact, expected) => {
    const beside = await jq("$b | [type, length]", { b: artifact.id });
    expect(beside.text.split("\n")[0]).toBe(expected);
    const first = await jq("[., inputs] | length, ($b | length)", { b: users.id }, artifact.id);
    expect(first.failed).toBe(false);
  });

  it.each([
    ["records", orders, "amount", "22"],
    ["rows", csv, "id", "4"],
    ["a document that is a list", list, "id", "3"],
    ["text", log, "line", "3"],
  ])("SQL takes %s", async (_, artifact, column, expected) => {
    const beside = await sql(`SELECT sum(b.${column})::INT AS s FROM b`, { b: artifact.id });
    expect(beside.text.split("\n")[1]).toBe(expected);
    const query = `SELECT sum(output.${column})::INT AS s, (SELECT count(*) FROM b) FROM output`;
    const first = await sql(query, { b: users.id }, artifact.id);
    expect(first.text.split("\n")[1]).toBe(`${expected} | 3`);
  });

  it("a document without records is refused by name in SQL", async () => {
    const none = await sql("SELECT 1", { rates: document.id });
    expect(none.text).toMatch(
      /^rates: It is one JSON document without records\. Use jq_tool_output/,
    );
  });
});

describe("an output that is not there", () => {
  it("is told with its argument, another session's like an unknown one", async () => {
    const unknown = foreignId();
    for (const id of [unknown, foreign.id, "../../etc/passwd"]) {
      reads.length = 0;
      for (const answer of await both({ orders: orders.id, x: id })) {
        expect(answer).toMatchObject({ failed: true, artifactId: users.id });
        expect(answer.text).toMatch(/^with\.x: No stored output has this id or name\. Use one of/);
        expect(answer.text).not.toContain(foreign.fileName);
      }
      expect(reads).toEqual([]);
    }
    const first = await jq(".", { orders: orders.id }, unknown);
    expect(first.text).toMatch(/^id: No stored output has this id or name\./);
    expect((await jq(".", undefined, unknown)).text).toMatch(/^No stored output/);
  });

  it("that has expired or was evicted is told how to get it again", async () => {
    const old = addRecords(store, [{ a: 1 }], { expiresAt: store.nowMs + 1 });
    const gone = addRecords(store, [{ a: 1 }]);
    await jq(".", { old: old.id });
    store.nowMs += 1;
    await store.delete(gone.id, SCOPE);
    drillIn.markEvicted(gone);
    for (const { text } of await both({ old: old.id }))
      expect(text).toMatch(/^with\.old: .* expired at .* call the tool search_issues again/);
    for (const { text } of await both({ gone: gone.id }))
      expect(text).toMatch(/^with\.gone: .* was deleted to keep .* call the tool search_issues/);
  });
});

describe("hostile names and numbers", () => {
  it.each<[string, Others, RegExp]>([
    [
      "a long name",
      { ["x".repeat(50_000)]: orders.id },
      /^"x{40}"… cannot be the name of an output: a letter/,
    ],
    ["SQL", { 'x"; DROP TABLE output; --': orders.id }, /^"x\\"; DROP TABLE .* cannot be the name/],
    ["jq", { "b[0] as $x | input_filename #": orders.id }, /cannot be the name/],
    ["an empty name", { "": orders.id }, /cannot be the name/],
    ["an option", { "--rawfile": orders.id }, /cannot be the name/],
    ["another script", { naïve: orders.id }, /cannot be the name/],
    ["a name of jq", { __loc__: orders.id }, /cannot be the name/],
    [
      "jq's environment",
      { ENV: orders.id },
      /^with: ENV is a name of jq's own; choose another name/,
    ],
    ["a prototype", JSON.parse(`{"__proto__": "${orders.id}"}`) as Others, /cannot be the name/],
    ["output", { output: orders.id }, /^output is the first output's name already; choose another/],
    ["output in another case", { OutPut: orders.id }, /is the first output's name already/],
    ["a name twice", { b: orders.id, B: orders.id }, /^Two outputs are named B;/],
    ["a number for an id", { b: 7 }, /^with\.b: pass the id of one stored output as text\./],
    ["a list for an id", { b: [orders.id] }, /^with\.b: pass the id/],
    ["an object for an id", { b: { id: orders.id } }, /^with\.b: pass the id/],
    ["a long id", { b: "x".repeat(50_000) }, /^with\.b: No stored output has this id/],
    [
      "more than an argument may be",
      { b: "x".repeat(1e6) },
      /^The with has 1000002 characters; at most/,
    ],
    [
      "100 ids",
      Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`b${n}`, orders.id])),
      /^The call names 100 further outputs; at most 7 can stand beside the first\.$/,
    ],
  ])("%s is refused in few words", async (_, others, expected) => {
    for (const answer of await both(others)) {
      expect(answer.failed).toBe(true);
      expect(answer.text).toMatch(expected);
      expect(answer.text.length).toBeLessThan(600);
    }
  });

  it("a with that is no object is refused by the tool's own words", async () => {
    for (const others of [[orders.id], orders.id, 7, true]) {
      for (const { text } of [await jq(".", others), await sql("SELECT 1", others)])
        expect(text).toMatch(/^Invalid arguments: with: expected object\. Allowed: .*\bwith\b.*\.$/);
    }
    const ids = await drillIn.jq({ id: [users.id, orders.id], filter: "." }, SCOPE);
    expect(ids.text).toContain('id: expected one id; further outputs go in with: {"b": "<id>"}');
  });

  it("seven others of any good name stand beside the first", async () => {
    const names = ["a", "Z9", "order", "select", "if", "env", "a".repeat(63)];
    const others = Object.fromEntries(names.map((name) => [name, orders.id]));
    const filter = `[${names.map((name) => `($${name} | length)`).join(", ")}]`;
    expect((await jq(filter, others)).text.split("\n")[0]).toBe("[3,3,3,3,3,3,3]");
    const counts = names.map((name) => `(SELECT count(*) FROM "${name}")`).join(" + ");
    expect((await sql(`SELECT ${counts} AS n`, others)).text).toBe(`n\n21\n1 row.`);
  });
});

describe("what to write instead", () => {
  it("for a variable that was not passed, and for a name that stands for two things", async () => {
    const forgotten = await jq("$b | length", undefined);
    expect(forgotten.text).toContain(
      'Pass the variable in args: {"b": …}; another output in with: {"b": "<id>"}.',
    );
    const twice = await drillIn.jq(
      { id: users.id, filter: ".", args: { b: 1 }, with: { b: orders.id } },
      SCOPE,
    );
    expect(twice).toMatchObject({
      failed: true,
      text: "b is both a value and an output; choose another name for one of them.",
    });
  });

  it("for fields of either output", async () => {
    const known = await jq("[$orders[].amount, .name] | null", { orders: orders.id });
    expect(known.text).toBe("3 results, all null. $orders is the array of its 3 records.");
    const unknown = await jq("$orders[] | .amont", { orders: orders.id });
    expect(unknown.text).toContain("No sampled record has the field .amont; nearest: amount.");
  });

  it("for tables and columns of either output", async () => {
    const others = { orders: orders.id, order: orders.id };
    const table = await sql("SELECT * FROM invoices", { orders: orders.id });
    expect(table.text).toContain(
      'The tables are called output and orders; another output becomes one in with: {"invoices": "<id>"}.',
    );
    const column = await sql("SELECT amont FROM output, orders", { orders: orders.id });
    expect(column.text).toContain("Nearest: orders.amount.");
    const word = await sql("SELECT * FROM order", others);
    expect(word.text).toContain(
      'order is a word of SQL: as a table, write it in double quotes, "order".',
    );
    const file = await sql("SELECT * FROM read_text('/etc/hostname')", { orders: orders.id });
    expect(file.text).toContain("query the tables output and orders only.");
  });
});
