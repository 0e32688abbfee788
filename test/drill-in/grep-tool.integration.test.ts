import { afterAll, describe, expect, it } from "vitest";

import { hintForPattern } from "../../src/drill-in/grep/hints.js";
import {
  addRecords,
  bodyOf,
  createTestStore,
  drillInOver,
  SCOPE,
  TOOL_NAMES,
} from "./stored-outputs.js";

const LOG = Array.from({ length: 2000 }, (_, index) =>
  index % 4 === 0 ? `ERROR took ${index} ms` : `info request ${index} done\r`,
);

const store = createTestStore();
const drillIn = drillInOver(store);
const { id } = store.add(`${LOG.join("\n")}\n`, { kind: "log" });
afterAll(() => drillIn.close());

async function grep(args: Record<string, unknown>): Promise<string> {
  return (await drillIn.grep({ id, ...args }, SCOPE)).text;
}

describe("searching a stored output", () => {
  it("shows the hits with their line numbers below the total", async () => {
    expect(await grep({ pattern: "ERROR took (40|80) ms" })).toBe(
      `2 matching lines.\n41:ERROR took 40 ms\n81:ERROR took 80 ms`,
    );
  });

  it("marks context lines, and gaps between them", async () => {
    expect(await grep({ pattern: "took 40 ms|took 80 ms", before: "1", after: 1 })).toBe(
      [
        `2 matching lines.`,
        "40-info request 39 done",
        "41:ERROR took 40 ms",
        "42-info request 41 done",
        "--",
        "80-info request 79 done",
        "81:ERROR took 80 ms",
        "82-info request 81 done",
      ].join("\n"),
    );
  });

  it.each([
    [{ pattern: "error", ignore_case: "true", count_only: true }, "500 matching lines\\."],
    [{ pattern: "error", count_only: "true" }, "0 matching lines\\."],
    [{ pattern: "took 4. ms", literal: true }, "0 matching lines\\."],
    [{ pattern: "ERROR", invert: true, count_only: true }, "1,500 lines without a match\\."],
    [{ pattern: "ERROR took 40 ms" }, "1 matching line\\."],
  ])("counts %j", async (args, start) => {
    expect(await grep(args)).toMatch(new RegExp(`^${start}(?:\n|$)`));
  });

  it("states the total when the list is cut, and the call that goes on", async () => {
    const text = await grep({ pattern: "ERROR", max_results: 3 });
    expect(text).toBe(
      `500 matching lines.\n1:ERROR took 0 ms\n5:ERROR took 4 ms\n9:ERROR took 8 ms\n` +
        `Showing the first 3.\nNext call: grep_tool_output {"id":"${id}","pattern":"ERROR","max_results":3,"skip":3}`,
    );
  });

  it("keeps to the budget and counts what it shows", async () => {
    const answer = await drillIn.grep({ id, pattern: "." }, SCOPE);
    expect(answer.tokens).toBeLessThanOrEqual(2000);
    const lines = answer.text.split("\n");
    expect(lines[0]).toBe("2,000 matching lines, 40,890 occurrences.");
    expect(lines.at(-2)).toContain(`Showing the first ${lines.length - 3}.`);
  });

  it("numbers lines as reading does, also behind a header line", async () => {
    const { id } = addRecords(store, [{ a: "x" }, { a: "needle" }]);
    const { text } = await drillIn.grep({ id, pattern: "needle" }, SCOPE);
    expect(text.split("\n")[1]).toBe('3:{"a":"needle"}');
    expect(bodyOf(await drillIn.read({ id, start_line: 3, end_line: 3 }, SCOPE))).toBe(
      '{"a":"needle"}\n',
    );
    expect((await drillIn.grep({ id, pattern: "lro_header" }, SCOPE)).text).toMatch(
      /^0 matching lines/,
    );
  });

  it("cuts a long line around the hit and says where", async () => {
    const { id } = store.add(`${"a".repeat(5000)}needle${"b".repeat(5000)}\n`);
    const { text } = await drillIn.grep({ id, pattern: "needle" }, SCOPE);
    expect(text).toMatch(/\n1:a+needleb+ \[cut: hit at character 5,000 of 10,006\]$/);
    expect(text.length).toBeLessThan(700);
  });

  it.each([
    [
      { pattern: "a(?=b)" },
      /Lookaround[\s\S]*is not supported[\s\S]*A\.\*B\|B\.\*A[\s\S]*jq_tool_output/,
    ],
    [{ pattern: "(?<!a)b" }, /invert/],
    [{ pattern: String.raw`(a)\1` }, /Backreferences[\s\S]*Spell the repeated text out/],
    [{ pattern: "a{1,5000000}" }, /at most 1,000/],
    [{ pattern: "(?>a)" }, /Atomic groups/],
    [{ pattern: "(unclosed" }, /set literal to true/],
    [{ pattern: "" }, /The pattern is empty/],
    [{ pattern: "x".repeat(1001) }, /at most 1000/],
    [{}, /pattern is missing\. Allowed: id, pattern/],
  ])("answers %j with what to write instead", async (args, sentence) => {
    const answer = await drillIn.grep({ id, ...args }, SCOPE);
    expect(answer.failed).toBe(true);
    expect(answer.text).toMatch(sentence);
  });

  it("searches a range of lines, and goes on in it", async () => {
    const range = { pattern: "ERROR", start_line: 5, end_line: "-1991" };
    expect(await grep(range)).toBe(
      "2 matching lines in lines 5 to -1,991.\n5:ERROR took 4 ms\n9:ERROR took 8 ms",
    );
    const first = { ...range, end_line: 100 };
    expect(await grep({ ...first, max_results: 2 })).toMatch(
      /"start_line":5,"end_line":100,"max_results":2,"skip":2\}$/,
    );
    expect(await grep({ pattern: "x", start_line: 2001 })).toMatch(/Line 2001 is past the end/);
    const records = addRecords(store, [{ a: 1 }, { a: 2 }, { a: 3 }]);
    const answer = await drillIn.grep(
      { id: records.id, pattern: "a|lro", start_line: 1, end_line: 3 },
      SCOPE,
    );
    expect(answer.text).toBe('2 matching lines in lines 1 to 3.\n2:{"a":1}\n3:{"a":2}');
  });

  it("shows the last hits", async () => {
    expect(await grep({ pattern: "ERROR", last: 2 })).toBe(
      "500 matching lines.\n1993:ERROR took 1992 ms\n1997:ERROR took 1996 ms\nThese are 499 to 500, the last.",
    );
    expect(await grep({ pattern: "ERROR took [0-9] ", last: 100 })).toMatch(
      /^3 matching lines\.\n1:.*\n5:.*\n9:[^\n]*$/,
    );
  });

  it("lists no more of the last hits than max_results", async () => {
    expect(await grep({ pattern: "ERROR", last: 5, max_results: 1 })).toBe(
      "500 matching lines.\n1997:ERROR took 1996 ms\nThis is 500, the last.",
    );
  });

  it("says where a long line is cut that has no hit", async () => {
    const { id } = store.add(`${"z".repeat(3000)}\n`);
    const { text } = await drillIn.grep({ id, pattern: "q", invert: true }, SCOPE);
    expect(text).toMatch(/z \[cut: from character 0 of 3,000\]$/);
  });

  it("shows a carriage return that is no part of a line end", async () => {
    const { id } = store.add("a word\r\r\nanother word\r\n");
    expect((await drillIn.grep({ id, pattern: "word$" }, SCOPE)).text).toBe(
      "1 matching line.\n2:another word",
    );
    const { text } = await drillIn.grep({ id, pattern: "word" }, SCOPE);
    expect(text).toMatch(/\n1:a word\\u\{d\}\n2:another word$/);
  });

  it("lists what a pattern takes, each text once with its count and its first place", async () => {
    expect(await grep({ pattern: "ERROR|info|request", only_matching: true })).toBe(
      [
        "3,500 occurrences in 2,000 matching lines, 3 different. The most frequent first, each with the line:character of its first place.",
        "2:0:info (1,500 times)",
        "2:5:request (1,500 times)",
        "1:0:ERROR (500 times)",
      ].join("\n"),
    );
    const none = await grep({ pattern: "nothing", only_matching: true });
    expect(none).toBe("0 occurrences in 0 matching lines, 0 different.");
    const next = await grep({ pattern: "took \\d+", only_matching: true, max_results: 2 });
    expect(next).toMatch(/"only_matching":true,"max_results":2,"skip":2\}$/);
  });

  it("counts occurrences in one long line, and says where they are", async () => {
    const { id } = store.add("😀<item>x</item>".repeat(2078));
    const { text } = await drillIn.grep({ id, pattern: "<item>", max_results: 5 }, SCOPE);
    expect(text).toMatch(
      /^1 matching line, 2,078 occurrences\. To see each, set only_matching to true\.\n/,
    );
    expect(text).toContain("[cut: hit at character 1 of 31,170, the first of 2,078 occurrences]");
    const each = await drillIn.grep({ id, pattern: "m>x<", only_matching: true }, SCOPE);
    expect(each.text).toContain("\n1:5:m>x< (2,078 times)");
    const read = await drillIn.read({ id, start_line: 1, start_character: 5 }, SCOPE);
    expect(bodyOf(read).startsWith("m>x<")).toBe(true);
  });

  it("finds what stands beside the records when no record matches", async () => {
    const header = `{"type":"lro_header","count":2,"envelope":{"agents":{"firefox":{"prefix":"moz"}},"items":[]}}\n`;
    const { id } = store.add(`${header}{"a":1}\n{"a":2}\n`, {
      kind: "json-array",
      layout: "records",
      headerBytes: header.length,
    });
    const { text, foundCount } = await drillIn.grep({ id, pattern: "firefox" }, SCOPE);
    expect(text).toBe(
      'No record matches. Beside the records, in line 1: 1 matching line.\n1:{"agents":{"firefox":{"prefix":"moz"}},"items":[]}}',
    );
    expect(foundCount).toBe(1);
    const first = await drillIn.grep({ id, pattern: "firefox", start_line: 1, end_line: 1 }, SCOPE);
    expect(first.text).toBe(
      'No record in lines 1 to 1 matches. Beside the records, in line 1: 1 matching line.\n1:{"agents":{"firefox":{"prefix":"moz"}},"items":[]}}',
    );
    const about = await drillIn.grep({ id, pattern: "lro_header", end_line: 2 }, SCOPE);
    expect(about.text).toBe(
      "0 matching lines in lines 1 to 2. Of line 1, which is about the output, nothing is searched but what stood beside the records.",
    );
    // Of lines behind it nobody asks what stands beside them.
    const some = await drillIn.grep({ id, pattern: "firefox", start_line: 2, end_line: 3 }, SCOPE);
    expect(some.text).toBe("0 matching lines in lines 2 to 3.");
    const each = await drillIn.grep({ id, pattern: "fire\\w+", only_matching: true }, SCOPE);
    const [, line, character] = /\n(\d+):(\d+):firefox$/.exec(each.text) ?? [];
    const read = await drillIn.read({ id, start_line: line, start_character: character }, SCOPE);
    expect(bodyOf(read)).toMatch(/^firefox"/);
    const ours = await drillIn.grep({ id, pattern: "lro_header" }, SCOPE);
    expect(ours.text).toBe("0 matching lines.");
  });

  it("speaks of no tool that the agent does not have", () => {
    expect(hintForPattern("a(?!b)", TOOL_NAMES)).toContain("jq_tool_output");
    expect(hintForPattern("a(?!b)", {})).not.toContain("jq");
    expect(hintForPattern(String.raw`(a)\1`, {})).not.toContain("jq");
  });
});
