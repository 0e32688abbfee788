import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { DrillInAnswer, OwnDrillIn } from "../../../src/core/drill-in/drill-in.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import {
  addRecords,
  CALL,
  createTestStore,
  drillInOver,
  UNHURRIED,
  WITH_SQL,
} from "./stored-outputs.js";

const store = createTestStore();
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
let drillIn: OwnDrillIn;
beforeAll(() => {
  drillIn = drillInOver(store, UNHURRIED, WITH_SQL);
});
afterAll(() => drillIn.close());

type Others = Readonly<Record<string, unknown>>;

function jq(filter: string, others: unknown, id = users.id): Promise<DrillInAnswer> {
  return drillIn.run("jq", { id, filter, with: others }, CALL);
}

function sql(query: string, others: unknown, id = users.id): Promise<DrillInAnswer> {
  return drillIn.run("sql", { id, query, with: others }, CALL);
}

/** The answer of each tool to a call that is as good as it can be but for `with`. */
async function both(others: Others): Promise<DrillInAnswer[]> {
  return [await jq(".", others), await sql("SELECT 1", others)];
}

it("with is understood as JSON text, of file names and paths, and of one output twice", async () => {
  const { fileName, id } = users;
  const asText = JSON.stringify({ o: orders.fileName, u: `/tmp/x/${fileName}`, v: id });
  expect((await jq("[$o, $u, $v | length]", asText)).text).toMatch(/^\[3,3,3\]\n/);
  const joined = "SELECT count(*) FROM output JOIN u USING (id) JOIN v USING (id), o";
  expect((await sql(joined, asText)).text).toContain("\n9\n");
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
});

describe("hostile names and numbers", () => {
  it.each<[string, Others, RegExp]>([
    [
      "a long name",
      { ["x".repeat(50_000)]: orders.id },
      /^"x+…?"?…? cannot be the name of an output/,
    ],
    ["an empty name", { "": orders.id }, /cannot be the name/],
    ["jq's environment", { ENV: orders.id }, /^"ENV" cannot be the name/],
    ["a name twice", { b: orders.id, B: orders.id }, /^"B" cannot be the name/],
    ["a number for an id", { b: 7 }, /^b: No stored output has this id/],
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

  it("seven others of any good name stand beside the first", async () => {
    const names = ["a", "Z9", "order", "select", "if", "else", "a".repeat(63)];
    const others = Object.fromEntries(names.map((name) => [name, orders.id]));
    const filter = `[${names.map((name) => `($${name} | length)`).join(", ")}]`;
    expect((await jq(filter, others)).text.split("\n")[0]).toBe("[3,3,3,3,3,3,3]");
    const counts = names.map((name) => `(SELECT count(*) FROM "${name}")`).join(" + ");
    expect((await sql(`SELECT ${counts} AS n`, others)).text).toBe(`n\n21\n1 row.`);
  });
});
