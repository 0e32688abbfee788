import { afterAll, describe, expect, it } from "vitest";

import { hintForError } from "../../src/drill-in/jq/hints.js";
import { ESCAPED_NOTE, unescapeText } from "../../src/drill-in/shared/answer/shown-text.js";
import { nearestNames } from "../../src/util/nearest-names.js";
import { createOffloader } from "../../src/offload/create-offloader.js";
import { memoryStore } from "../../src/store/memory.js";
import { scopeOf } from "../../src/store/naming.js";
import { addRecords, createTestStore, drillInOver, MEASURE, SCOPE } from "./stored-outputs.js";

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
  return (await drillIn.jq({ id, ...args }, SCOPE)).text;
}

describe("jq over a stored output", () => {
  it("runs over the records without the header and says how many results there are", async () => {
    expect(await jq({ filter: "length", slurp: true })).toBe(`500\n1 result.`);
    expect(await jq({ filter: "reduce inputs as $r (0; . + 1)" })).toBe(`500\n1 result.`);
  });

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

  // D12
  it("shows what a filter prints beside its results, and what an escape is", async () => {
    expect(await jq({ filter: 'first(inputs) | "enough" | halt_error(0)' })).toBe(
      `0 results.\nThe filter also printed: enough`,
    );
    expect(await jq({ filter: String.raw`"\u{110000}"` })).toContain("four hex digits");
    expect(await jq({ filter: "[input_filename, get_search_list]", limit: 1 })).toContain(
      "[null,[]]",
    );
  });

  it("shows control characters of raw strings as escapes, of JSON as its own", async () => {
    const text = "\u001b[31mred\u202e \\u{1b}\u0085";
    const raw = await jq({ filter: "first(inputs) | $t", args: { t: text }, raw: true });
    const [shown = "", ...notes] = raw.split("\n");
    expect(shown).toBe(String.raw`\u{1b}[31mred\u{202e} \u{5c}u{1b}\u{85}`);
    expect(unescapeText(shown)).toBe(text);
    expect(notes.at(-1)).toBe(ESCAPED_NOTE);
    const [json = ""] = (await jq({ filter: "first(inputs) | $t", args: { t: text } })).split("\n");
    expect(json).toBe(String.raw`"\u001b[31mred\u202e \\u{1b}\u0085"`);
    expect(JSON.parse(json)).toBe(text);
  });

  it("does not grow with the square of a value's depth", async () => {
    const deep = await jq({
      filter: "first(inputs) | reduce range(5000) as $n (0; [.])",
      compact: false,
    });
    expect(deep.length).toBeLessThan(12_000);
  });

  it("stops at the limit and says that there is more", async () => {
    expect(await jq({ filter: ".state", limit: "2" })).toBe(
      `"open"\n"closed"\n2 results (the limit; there are more).`,
    );
    expect(await jq({ filter: ".state", slurp: true, limit: 2 })).toContain("Cannot index array");
  });

  it("shows whole results within the budget, and next calls that give the rest", async () => {
    let args: unknown = { id, filter: ".title" };
    const titles: unknown[] = [];
    for (;;) {
      const answer = await drillIn.jq(args, SCOPE);
      expect(answer.tokens).toBeLessThanOrEqual(2000);
      expect((await MEASURE.count(answer.text)).tokens).toBe(answer.tokens);
      const lines = answer.text.split("\n");
      titles.push(...lines.slice(0, -1).map((line): unknown => JSON.parse(line)));
      const next = /Next call: jq_tool_output (\{.*\})$/.exec(lines.at(-1) ?? "")?.[1];
      if (next === undefined) break;
      args = JSON.parse(next);
    }
    expect(titles).toEqual(RECORDS.map((record) => record.title));
  });

  it("counts what was shown against the limit of the next call", async () => {
    const answer = await jq({ filter: ".title", limit: RECORDS.length - 1 });
    const shown = Number(/^Showing the first (\d+) of/m.exec(answer)?.[1]);
    const next = /Next call: jq_tool_output (\{.*\})$/.exec(answer)?.[1] ?? "";
    expect(JSON.parse(next)).toEqual({
      id,
      filter: ".title",
      skip: shown,
      limit: RECORDS.length - 1 - shown,
    });
  });

  it("takes an empty filter for all records, also in the next call", async () => {
    const answer = await jq({ filter: " " });
    expect(answer).toMatch(/"filter":"\.","skip":\d+\}$/);
    expect(answer).toBe(await jq({ filter: "." }));
  });

  it("shows the beginning of a first result that is too large, and how to ask for less", async () => {
    const answer = await jq({ filter: "map(.title)", slurp: true });
    expect(answer.startsWith('["Issue number 0",')).toBe(true);
    expect(answer).toMatch(
      /The first result is cut after [\d,]+ of [\d,]+ characters\. Ask for less: keys/,
    );
  });

  it("says so when the first result is too large to fetch", async () => {
    const answer = await drillIn.jq({ id, filter: '"x" * 1000000' }, SCOPE);
    expect(answer.failed).toBe(true);
    expect(answer.text).toMatch(/too large to show\. Ask for less/);
  });

  it("keeps the results before an error", async () => {
    const text = await jq({ filter: ".labels[]" });
    expect(text.startsWith('"label-0"\n"label-1"\n')).toBe(true);
  });

  it.each([
    [
      { filter: "select(.labels == null) | .labels[]" },
      /Cannot iterate over null[\s\S]*\.field\[\]\?/,
    ],
    [{ filter: ".titel" }, /^500 results, all null\. No record has \.titel; nearest: \.title\.$/],
    [{ filter: "select(.staet == 1)" }, /0 results[\s\S]*nearest: \.state/],
    [
      { filter: "jq -r .title" },
      /jq\/0 is not defined[\s\S]*Pass the filter only, without the jq command/,
    ],
    [{ filter: "title" }, /title\/0 is not defined[\s\S]*For the field write \.title/],
    [
      { filter: "select(.state == open)" },
      /open\/0 is not defined[\s\S]*Text needs double quotes \("open"\)/,
    ],
    [{ filter: "select(.state == 'open')" }, /jq strings take double quotes/],
    [{ filter: "jq '.title'" }, /Pass the filter only/],
    [
      { filter: "$wanted" },
      /\$wanted is not defined[\s\S]*Pass the variable in args: \{"wanted": …\}/,
    ],
    [
      { filter: "group_by(.state)" },
      /group_by sees one record at a time; to see all, set slurp to true/,
    ],
    [{ filter: ".[0]" }, /Cannot index object with number[\s\S]*set slurp to true/],
    [
      { filter: ".title", slurp: true },
      /Cannot index array with[\s\S]*write \.\[\] before the field/,
    ],
    [
      { filter: ".title.text" },
      /Cannot index string[\s\S]*The value is a string and has no fields/,
    ],
    [{ filter: '(.missing) | test("a")' }, /\(\.field \/\/ "" \| tostring\)/],
    [{ filter: "(.title" }, /not closed[\s\S]*Check brackets/],
  ])("answers %j with what to change", async (args, sentence) => {
    expect(await jq(args)).toMatch(sentence);
  });

  it("gives the streaming form when the records do not fit into memory", async () => {
    const hungry = drillInOver(store, { maxMemoryMb: 64, timeoutMs: 8000 });
    const answer = await hungry.jq({ id, filter: "[range(1e9)] | length", slurp: true }, SCOPE);
    await hungry.close();
    expect(answer.failed).toBe(true);
    expect(answer.text).toMatch(
      /ran out of memory[\s\S]*reduce inputs as \$r|was stopped after (8|40) s/,
    );
  });

  it("names the other tools when a document does not fit into memory", async () => {
    const offloader = createOffloader({
      store: memoryStore(),
      encode: "as-came",
      drillIn: { maxMemoryMb: 64, timeoutMs: 30_000 },
    });
    const value = JSON.stringify({ rows: Array.from({ length: 48_000 }, () => "x".repeat(100)) });
    const { storedArtifact } = await offloader.put(value, { sessionId: "large" });
    const scope = scopeOf("large");
    const args = { id: storedArtifact.id, filter: "[range(1e9)] | length" };
    const answer = await offloader.drillIn.jq(args, scope);
    await offloader.close();
    expect(answer.text).toBe(
      `jq ran out of memory (64 MB): it holds a document whole, and ${storedArtifact.fileName} has 5 MB. ` +
        "Use grep_tool_output or read_tool_output.",
    );
  });

  it("says that a run was stopped at its time limit", async () => {
    const hasty = drillInOver(store, { timeoutMs: 300 });
    const answer = await hasty.jq({ id, filter: "last(range(1e12))" }, SCOPE);
    await hasty.close();
    expect(answer).toMatchObject({ failed: true });
    expect(answer.text).toMatch(/was stopped after (0\.3|1\.5) s/);
  });

  it("reads documents whole, tables by their column names, and text by its lines", async () => {
    const document = store.add('{"a":{"b":[1,2]}}', { layout: "document", kind: "json-document" });
    const table = store.add("name\tage\nAda\t36\n", {
      layout: "rows",
      kind: "tsv",
      recordCount: 1,
    });
    const log = store.add("a\nb\n", { kind: "log" });
    expect((await drillIn.jq({ id: document.id, filter: ".a.b[]" }, SCOPE)).text).toMatch(
      /^1\n2\n2 results/,
    );
    expect((await drillIn.jq({ id: table.id, filter: ".age" }, SCOPE)).text).toMatch(
      /^"36"\n1 result/,
    );
    const ask = async (args: object): Promise<string> =>
      (await drillIn.jq({ id: log.id, ...args }, SCOPE)).text;
    expect(await ask({ filter: "[input_line_number, .]" })).toMatch(/^\[1,"a"\]\n\[2,"b"\]\n2 res/);
    expect(await ask({ filter: "[inputs] | length" })).toMatch(/^2\n1 result/);
    expect(await ask({ filter: ".", slurp: true })).toMatch(/^\["a","b"\]\n1 result/);
    expect(await ask({ filter: "select(. == $t[1])", with: { t: log.id } })).toMatch(/^"b"\n1 res/);
  });
});

describe("names that were meant", () => {
  it("finds names that differ a little, contain or are contained", () => {
    const names = ["created_at", "title", "memory_type", "id"];
    expect(nearestNames("createdAt", names)).toEqual(["created_at"]);
    expect(nearestNames("titel", names)).toEqual(["title"]);
    expect(nearestNames("type", names)).toEqual(["memory_type"]);
    expect(nearestNames("namespace", names)).toEqual([]);
    expect(nearestNames("x".repeat(100_000), names)).toEqual([]);
  });

  it("shows hostile field names without control characters, and shortened", async () => {
    const { id } = addRecords(store, [{ ["a\n\u001B[31mb"]: 1, ["k".repeat(5000)]: 2 }]);
    const { text } = await drillIn.jq({ id, filter: ".missing" }, SCOPE);
    expect(text).toContain("Fields: a??[31mb, ");
    expect(text).not.toContain("k".repeat(41));
  });

  it("has no hint for a message that says it all", () => {
    const attempt = {
      filter: ".",
      artifact: { layout: "records", fields: [] },
      seesEachRecord: true,
      forms: undefined,
      variablesName: "args",
      entry: () => "",
      wholeSet: "",
    } as const;
    expect(hintForError("jq: error: something else", attempt)).toBeUndefined();
  });
});

describe("a first result that is too large to show", () => {
  it.each([
    ["alone", 1, false],
    ["with others behind it", 2, true],
  ])("%s: only then a call for those after it", async (_, lines, hasNext) => {
    const own = createTestStore();
    const drill = drillInOver(own, { maxOutputTokens: 400 });
    const { id } = own.add(`${"x".repeat(200_000)}\n`.repeat(lines));
    const { text } = await drill.jq({ id, filter: "." }, SCOPE);
    await drill.close();
    expect(text).toMatch(/^The first result alone is too large to show\./);
    expect(text.includes("Next call")).toBe(hasNext);
  });
});
