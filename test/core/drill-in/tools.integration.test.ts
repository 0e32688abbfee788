import { afterAll, describe, expect, it } from "vitest";

import { answerLimit } from "../../../src/core/drill-in/answer.js";
import type { DrillInAnswer } from "../../../src/core/drill-in/drill-in.js";
import {
  addRecords,
  bodyOf,
  CALL,
  createTestStore,
  drillInOver,
  MEASURE,
  nextOf,
  SESSION_KEY,
} from "./stored-outputs.js";

const store = createTestStore();
const drillIn = drillInOver(store);
afterAll(() => drillIn.close());

type Arguments = Readonly<Record<string, unknown>>;

async function ask(tool: string, args: Arguments, own = drillIn): Promise<string> {
  return (await own.run(tool, args, CALL)).text;
}

describe("searching a stored output", () => {
  const lines = Array.from({ length: 2000 }, (_, index) =>
    index % 4 === 0 ? `ERROR took ${index} ms` : `info request ${index} done\r`,
  );
  const log = store.add(`${lines.join("\n")}\n`, { kind: "log" });
  const grep = (args: Arguments): Promise<string> => ask("grep", { id: log.id, ...args });

  it("searches a range of lines, and goes on in it", async () => {
    const range = { pattern: "ERROR", start_line: 5, end_line: "-1991" };
    expect(await grep(range)).toBe(
      "2 matching lines in lines 5 to -1,991.\n5:ERROR took 4 ms\n9:ERROR took 8 ms",
    );
    expect(await grep({ ...range, end_line: 100, max_results: 2 })).toMatch(
      /"start_line":5,"end_line":100,"max_results":2,"skip":2\}$/,
    );
    expect(await grep({ pattern: "x", start_line: 2001 })).toMatch(/Line 2001 is past the end/);
    const { id } = addRecords(store, [{ a: 1 }, { a: 2 }, { a: 3 }]);
    expect(await ask("grep", { id, pattern: "a|lro", start_line: 1, end_line: 3 })).toBe(
      '2 matching lines in lines 1 to 3.\n2:{"a":1}\n3:{"a":2}',
    );
  });

  it("lists what a pattern takes, each text once with its count and its first place", async () => {
    expect(await grep({ pattern: "ERROR|info|request", only_matching: true })).toBe(
      [
        "3,500 occurrences in 2,000 matching lines, 3 different. The most frequent first, each with the line of its first place.",
        "2:info (1,500 times)",
        "2:request (1,500 times)",
        "1:ERROR (500 times)",
      ].join("\n"),
    );
    const next = await grep({ pattern: "took \\d+", only_matching: true, max_results: 2 });
    expect(next).toMatch(/"only_matching":true,"max_results":2,"skip":2\}$/);
  });

  it("says of which texts it lists the most frequent where there are too many to hold", async () => {
    const first = Array.from({ length: 20_000 }, (_, at) => `item ${at}`);
    const { id } = store.add(`${first.join("\n")}\n${"item 99999\n".repeat(9)}`);
    const args = { id, pattern: "item \\d+", only_matching: true, skip: 19_999 };
    expect(await ask("grep", args)).toMatch(
      /at least 20,000 different\. .* of the first 20,000 different texts first,.*\n20000:item 19999\n/,
    );
  });

  it("counts occurrences in one long line, and says where they are", async () => {
    const { id } = store.add("😀<item>x</item>".repeat(2078));
    const text = await ask("grep", { id, pattern: "<item>", max_results: 5 });
    expect(text).toMatch(/^1 matching line, 2,078 occurrences\.\n/);
    expect(text).toContain("[cut: at character 1 of 31,170]");
    const read = await drillIn.run("read", { id, start_line: 1, start_character: 5 }, CALL);
    expect(bodyOf(read).startsWith("m>x<")).toBe(true);
  });
});

describe("jq over a stored output", () => {
  const titles = Array.from({ length: 500 }, (_, index) => ({
    title: `Issue number ${index}`,
    labels: index === 7 ? null : [`label-${index % 5}`],
  }));
  const { id } = addRecords(store, titles);

  it("prints strings raw, values indented and variables bound when asked", async () => {
    const filter = "select(.title == $title)";
    const args = { title: "Issue number 1" };
    expect(await ask("jq", { id, filter: `${filter} | .title`, raw: "true", args })).toBe(
      `Issue number 1\n1 result.`,
    );
    const given = { compact: "false", args: JSON.stringify(args) };
    expect(await ask("jq", { id, filter: `${filter} | .labels`, ...given })).toBe(
      `[\n  "label-1"\n]\n1 result.`,
    );
  });

  it("does not grow with the square of a value's depth", async () => {
    const filter = "first(inputs) | reduce range(5000) as $n (0; [.])";
    expect((await ask("jq", { id, filter, compact: false })).length).toBeLessThan(12_000);
  });

  it("reads documents whole, tables by their column names, and text by its lines", async () => {
    const document = store.add("[1,2,3]", { layout: "document", kind: "json-array" });
    const markup = store.add("a: 1\n", { kind: "yaml" });
    const rows = { layout: "rows", kind: "tsv", recordCount: 1 } as const;
    const table = store.add("name\tage\nAda\t36\n", rows);
    const log = store.add("a\nb\n", { kind: "log" });
    const BEYOND = "$x came rounded, beyond 2^53: write the number in the filter.";
    const ONCE = "The filter ran once: . was null, and inputs had the whole output.";
    for (const [artifact, args, expected] of [
      [document, { filter: "length", slurp: true }, "3\n1 result."],
      [document, { filter: ".[1:][]" }, "2\n3\n2 results."],
      [markup, { filter: "length", slurp: true }, "1\n1 result."],
      [table, { filter: ".age" }, '"36"\n1 result.'],
      [log, { filter: "[input_line_number, .]" }, '[1,"a"]\n[2,"b"]\n2 results.'],
      [log, { filter: "[(.), inputs] | length" }, `3\n1 result.\n${ONCE}`],
      [log, { filter: "[., inputs] | length", slurp: true }, "2\n1 result."],
      [log, { filter: "$x", args: '{"x": 1796543210123496384}' }, BEYOND],
      [log, { filter: ".", slurp: true }, '["a","b"]\n1 result.'],
      [log, { filter: "select(. == $t[1])", with: { t: log.id } }, '"b"\n1 result.'],
    ] as const)
      expect(await ask("jq", { id: artifact.id, ...args })).toBe(expected);
  });
});

describe("lro_extract", () => {
  const recipe = { description: "A recipe", slurp: false, raw: false };
  const recipes = [
    {
      ...recipe,
      filter: 'select(.namespace // "" | startswith($namespace))',
      params: { namespace: "_semantic" },
    },
    { ...recipe, filter: "sort_by(.n) | .[:$limit][]", slurp: true, params: { limit: 2 } },
  ];
  const records = Array.from({ length: 900 }, (_, n) => ({ n, namespace: `_episodic/${n}` }));
  const { fileName } = addRecords(store, records, { recipes });
  const extract = (args: Arguments): Promise<string> =>
    ask("extract", { file_path: `/var/data/${fileName}`, ...args });

  it("binds params as variables of the kind that the recipe has", async () => {
    expect(await extract({ recipe: 2, params: '{"limit": "1"}' })).toMatch(
      /^\{"n":0.*\n1 result\./,
    );
    for (const limit of ["", " ", true, []])
      expect(await extract({ recipe: 2, params: { limit } })).toContain("limit of recipe 2 is a");
  });

  it.each(['")) | env | (("', "$__prog_args", '\\(env)", "', "\u0000", "'; cat /etc/passwd #"])(
    "takes the param %j as text, never as code",
    async (namespace) => {
      expect(await extract({ recipe: 1, params: { namespace } })).toBe(`0 results.`);
    },
  );

  it("gives a next call that continues a long query, and says what the input of one is", async () => {
    const first = await extract({ query: ".namespace" });
    const next = /Next call: lro_extract (\{.*\})$/.exec(first)?.[1] ?? "";
    const shown = first.split("\n").length - 2;
    expect((await ask("extract", JSON.parse(next))).split("\n")[0]).toBe(`"_episodic/${shown}"`);
    const wrong = await extract({ query: "map(.n)" });
    expect(wrong).toContain("[inputs] | before it");
    expect(wrong).not.toContain("slurp");
  });
});

describe("a next call is the same question, further on", () => {
  const small = drillInOver(store, { maxOutputTokens: 160 });
  const middle = drillInOver(store, { maxOutputTokens: 400 });
  const large = drillInOver(store, { maxOutputTokens: 100_000 });
  afterAll(() => Promise.all([small.close(), middle.close(), large.close()]));

  function callIn(answer: DrillInAnswer): Arguments | undefined {
    const json = /Next call: \w+ (\{.*\})$/m.exec(answer.text)?.[1];
    return json === undefined ? undefined : JSON.parse(json);
  }

  /** JSON values or numbered lines; all of these values begin with a bracket or a quote. */
  function itemsOf(answer: DrillInAnswer): string[] {
    return answer.text.split("\n").filter((line) => /^(?:\d+[:-]|["{[]|\d+$)/.test(line));
  }

  async function follow(tool: string, first: Arguments, own = small): Promise<string[]> {
    const items: string[] = [];
    for (let args: Arguments | undefined = first; args !== undefined;) {
      const answer: DrillInAnswer = await own.run(tool, args, CALL);
      items.push(...itemsOf(answer));
      const next = callIn(answer);
      // The same question: nothing but its place differs.
      const { skip: _, limit: __, ...question } = next ?? {};
      if (next !== undefined) expect(args).toMatchObject(question);
      args = next;
    }
    return items;
  }

  const { id } = addRecords(
    store,
    Array.from({ length: 60 }, (_, n) => ({
      n,
      name: `record number ${n}`,
      tags: n % 7 === 3 ? null : [n, n + 1],
    })),
  );

  it.each([
    [".name"],
    // D2: records that fail are passed over on every page.
    [".tags[] | {tag: .}"],
    // D3: skip and limit of the model's own.
    ["skip(2; inputs) | .name"],
    ["., input | .n"],
  ])("of jq: %s", async (filter) => {
    const whole = await large.run("jq", { id, filter }, CALL);
    expect(callIn(whole)).toBeUndefined();
    expect(await follow("jq", { id, filter, compact: true })).toEqual(itemsOf(whole));
  });

  it.each(["read", "grep"])(
    "by its id after a name that leaves no room for data: %s",
    async (tool) => {
      const title = "1f 8e 4c 0b ".repeat(14).trim();
      const { id } = store.add("\u001b[31ma line\u001b[0m\n".repeat(900), { title });
      await drillIn.run("read", { id }, CALL);
      const args = { id: title, pattern: "line", max_tokens: 200, start: 1 };
      const { text, tokens } = await drillIn.run(tool, args, CALL);
      expect(tokens).toBeLessThanOrEqual(200);
      expect(text).toContain(`\nNext call: ${tool}_tool_output {"id":"${id}",`);
      expect(text).toContain("[31ma line");
    },
  );
});

describe("the length of an answer", () => {
  const limits = { maxOutputTokens: 2000, maxRequestedTokens: 8000 };
  const contextWindowTokens = 10_000;
  const text = Array.from({ length: 800 }, (_, n) => `line ${n} of a text`).join("\n");
  const { id } = store.add(text, { tokens: 5600 });

  it.each([
    ["is the usual one when none is asked for", undefined, undefined, 2000],
    ["is never more than what may be asked for", 8001, undefined, 8000],
    ["leaves room for a sentence", 1, undefined, 200],
    ["is at most what nine tenths of the window have left", 8000, 4000, 5000],
    ["is at most that when nothing is asked for too", undefined, 8000, 1000],
    ["leaves room for a sentence where the window is full", 8000, contextWindowTokens, 200],
  ])("%s", (_, asked, tokens, expected) => {
    const conversation = tokens === undefined ? undefined : { tokens, contextWindowTokens };
    expect(answerLimit(asked, limits, { conversation })).toBe(expected);
  });

  it("is a share of the room where a turn has several drill-ins", () => {
    const conversation = { tokens: 4000, contextWindowTokens };
    expect(answerLimit(8000, limits, { conversation, turnCalls: 4 })).toBe(1250);
    expect(answerLimit(8000, limits, { conversation, turnCalls: 0 })).toBe(5000);
    expect(answerLimit(8000, limits, { turnCalls: 4 })).toBe(8000);
  });

  it("is asked for by max_tokens, which the next call carries on", async () => {
    const whole = await drillIn.run("read", { id, max_tokens: "8000" }, CALL);
    expect(whole.text).toBe(`The whole output, 800 lines:\n${text}`);
    const asked = await drillIn.run("read", { id, max_tokens: 1000 }, CALL);
    expect(asked.tokens).toBeLessThanOrEqual(1000);
    expect(nextOf(asked)).toMatchObject({ id, max_tokens: 1000 });
    expect(nextOf(await drillIn.run("read", { id }, CALL))).not.toHaveProperty("max_tokens");
  });

  it("is cut to what the conversation has left", async () => {
    const conversation = { tokens: 6000, contextWindowTokens };
    const args = { id, max_tokens: 8000 };
    const answer = await drillIn.run("read", args, { sessionKey: SESSION_KEY, conversation });
    expect(answer.tokens).toBeLessThanOrEqual(3000);
    expect((await MEASURE.count(answer.text)).tokens).toBe(answer.tokens);
    expect(nextOf(answer)).toMatchObject({ max_tokens: 8000 });
  });
});
