import { afterAll, describe, expect, it } from "vitest";
import { addRecords, bodyOf, CALL, createTestStore, drillInOver } from "./stored-outputs.js";

const LOG = Array.from({ length: 2000 }, (_, index) =>
  index % 4 === 0 ? `ERROR took ${index} ms` : `info request ${index} done\r`,
);

const store = createTestStore();
const drillIn = drillInOver(store);
const { id } = store.add(`${LOG.join("\n")}\n`, { kind: "log" });
afterAll(() => drillIn.close());

async function grep(args: Record<string, unknown>): Promise<string> {
  return (await drillIn.run("grep", { id, ...args }, CALL)).text;
}

describe("searching a stored output", () => {
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
    const answer = await drillIn.run(
      "grep",
      { id: records.id, pattern: "a|lro", start_line: 1, end_line: 3 },
      CALL,
    );
    expect(answer.text).toBe('2 matching lines in lines 1 to 3.\n2:{"a":1}\n3:{"a":2}');
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
    const none = await grep({ pattern: "nothing", only_matching: true });
    expect(none).toBe("0 occurrences in 0 matching lines, 0 different.");
    const next = await grep({ pattern: "took \\d+", only_matching: true, max_results: 2 });
    expect(next).toMatch(/"only_matching":true,"max_results":2,"skip":2\}$/);
  });

  it("says of which texts it lists the most frequent where there are too many to hold", async () => {
    const first = Array.from({ length: 20_000 }, (_, at) => `item ${at}`);
    const { id } = store.add(`${first.join("\n")}\n${"item 99999\n".repeat(9)}`);
    const args = { id, pattern: "item \\d+", only_matching: true, skip: 19_999 };
    expect((await drillIn.run("grep", args, CALL)).text).toBe(
      [
        "20,009 occurrences in 20,009 matching lines, at least 20,000 different. The most frequent of the first 20,000 different texts first, each with the line of its first place.",
        "20000:item 19999",
        "Text 20,000 of at least 20,000.",
      ].join("\n"),
    );
  });

  it("counts occurrences in one long line, and says where they are", async () => {
    const { id } = store.add("😀<item>x</item>".repeat(2078));
    const { text } = await drillIn.run("grep", { id, pattern: "<item>", max_results: 5 }, CALL);
    expect(text).toMatch(/^1 matching line, 2,078 occurrences\.\n/);
    expect(text).toContain("[cut: at character 1 of 31,170]");
    const each = await drillIn.run("grep", { id, pattern: "m>x<", only_matching: true }, CALL);
    expect(each.text).toContain("\n1:m>x< (2,078 times)");
    const read = await drillIn.run("read", { id, start_line: 1, start_character: 5 }, CALL);
    expect(bodyOf(read).startsWith("m>x<")).toBe(true);
  });
});
