import { afterAll, describe, expect, it } from "vitest";
import { addRecords, CALL, createTestStore, drillInOver } from "./stored-outputs.js";

const RECORDS = Array.from({ length: 500 }, (_, index) => ({
  title: `Issue number ${index}`,
  state: index % 3 === 0 ? "open" : "closed",
  labels: index === 7 ? null : [`label-${index % 5}`],
}));

const store = createTestStore();
const drillIn = drillInOver(store);
const { id } = addRecords(store, RECORDS);
afterAll(() => drillIn.close());

async function jq(args: Record<string, unknown>): Promise<string> {
  return (await drillIn.run("jq", { id, ...args }, CALL)).text;
}

describe("jq over a stored output", () => {
  it("prints strings raw, values indented and variables bound when asked", async () => {
    const filter = "select(.title == $title)";
    const args = { title: "Issue number 1" };
    expect(await jq({ filter: `${filter} | .title`, raw: "true", args })).toBe(
      `Issue number 1\n1 result.`,
    );
    expect(
      await jq({ filter: `${filter} | .labels`, compact: "false", args: JSON.stringify(args) }),
    ).toBe(`[\n  "label-1"\n]\n1 result.`);
  });

  it("does not grow with the square of a value's depth", async () => {
    const deep = await jq({
      filter: "first(inputs) | reduce range(5000) as $n (0; [.])",
      compact: false,
    });
    expect(deep.length).toBeLessThan(12_000);
  });

  it("slurps a document, which is one value already, as it is", async () => {
    const list = store.add("[1,2,3]", { layout: "document", kind: "json-array", recordCount: 3 });
    const markup = store.add("a: 1\n", { kind: "yaml" });
    for (const [document, length] of [
      [list, 3],
      [markup, 1],
    ] as const) {
      const args = { id: document.id, filter: "length", slurp: true };
      expect((await drillIn.run("jq", args, CALL)).text).toBe(`${length}\n1 result.`);
    }
  });

  it("reads documents whole, tables by their column names, and text by its lines", async () => {
    const document = store.add('{"a":{"b":[1,2]}}', { layout: "document", kind: "json-document" });
    const table = store.add("name\tage\nAda\t36\n", {
      layout: "rows",
      kind: "tsv",
      recordCount: 1,
    });
    const log = store.add("a\nb\n", { kind: "log" });
    expect((await drillIn.run("jq", { id: document.id, filter: ".a.b[]" }, CALL)).text).toMatch(
      /^1\n2\n2 results/,
    );
    expect((await drillIn.run("jq", { id: table.id, filter: ".age" }, CALL)).text).toMatch(
      /^"36"\n1 result/,
    );
    const ask = async (args: object): Promise<string> =>
      (await drillIn.run("jq", { id: log.id, ...args }, CALL)).text;
    expect(await ask({ filter: "[input_line_number, .]" })).toMatch(/^\[1,"a"\]\n\[2,"b"\]\n2 res/);
    expect(await ask({ filter: "[inputs] | length" })).toMatch(/^2\n1 result/);
    expect(await ask({ filter: ".", slurp: true })).toMatch(/^\["a","b"\]\n1 result/);
    expect(await ask({ filter: "select(. == $t[1])", with: { t: log.id } })).toMatch(/^"b"\n1 res/);
  });
});

describe("a first result that is too large to show", () => {
  it("is told, with the call for those after it", async () => {
    const own = createTestStore();
    const drill = drillInOver(own, { maxOutputTokens: 400 });
    const { id } = own.add(`${"x".repeat(200_000)}\n`.repeat(2));
    const { text } = await drill.run("jq", { id, filter: "." }, CALL);
    await drill.close();
    expect(text).toMatch(/^The first result alone is too large to show\./);
    expect(text).toContain('"skip":1}');
  });
});
