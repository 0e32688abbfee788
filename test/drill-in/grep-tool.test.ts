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
const { id, fileName } = store.add(`${LOG.join("\n")}\n`, { kind: "log" });
afterAll(() => drillIn.close());

async function grep(args: Record<string, unknown>): Promise<string> {
  return (await drillIn.grep({ id, ...args }, SCOPE)).text;
}

describe("searching a stored output", () => {
  it("shows the hits with their line numbers below the total", async () => {
    expect(await grep({ pattern: "ERROR took (40|80) ms" })).toBe(
      `2 matching lines in ${fileName}.\n41:ERROR took 40 ms\n81:ERROR took 80 ms`,
    );
  });

  it("marks context lines, and gaps between them", async () => {
    expect(await grep({ pattern: "took 40 ms|took 80 ms", before: "1", after: 1 })).toBe(
      [
        `2 matching lines in ${fileName}.`,
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
    [{ pattern: "error", ignore_case: "true", count_only: true }, "500 matching lines in"],
    [{ pattern: "error", count_only: "true" }, "0 matching lines in"],
    [{ pattern: "took 4. ms", literal: true }, "0 matching lines in"],
    [{ pattern: "ERROR", invert: true, count_only: true }, "1,500 lines without a match in"],
    [{ pattern: "ERROR took 40 ms" }, "1 matching line in"],
  ])("counts %j", async (args, start) => {
    expect(await grep(args)).toMatch(new RegExp(`^${start} `));
  });

  it("states the total when the list is cut, and the call that goes on", async () => {
    const text = await grep({ pattern: "ERROR", max_results: 3 });
    expect(text).toBe(
      `500 matching lines in ${fileName}.\n1:ERROR took 0 ms\n5:ERROR took 4 ms\n9:ERROR took 8 ms\n` +
        `Showing the first 3. For less narrow the pattern. Next call: grep_tool_output {"id":"${id}","pattern":"ERROR","max_results":3,"skip":3}`,
    );
  });

  it("keeps to the budget and counts what it shows", async () => {
    const answer = await drillIn.grep({ id, pattern: "." }, SCOPE);
    expect(answer.tokens).toBeLessThanOrEqual(2000);
    const lines = answer.text.split("\n");
    expect(lines[0]).toBe(`2,000 matching lines in ${fileName}.`);
    expect(lines.at(-1)).toContain(`Showing the first ${lines.length - 2}.`);
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
    expect(text).toMatch(/\n1:a+needleb+ \[cut: from character 4,\d+ of 10,006\]$/);
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
    [{}, /pattern: expected string/],
  ])("answers %j with what to write instead", async (args, sentence) => {
    const answer = await drillIn.grep({ id, ...args }, SCOPE);
    expect(answer.failed).toBe(true);
    expect(answer.text).toMatch(sentence);
  });

  it("speaks of no tool that the agent does not have", () => {
    expect(hintForPattern("a(?!b)", TOOL_NAMES)).toContain("jq_tool_output");
    expect(hintForPattern("a(?!b)", {})).not.toContain("jq");
    expect(hintForPattern(String.raw`(a)\1`, {})).not.toContain("jq");
  });
});
