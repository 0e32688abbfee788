import { describe, expect, it } from "vitest";

import { listAnswer, withinLimit } from "../../../src/core/drill-in/answer.js";
import { namesSentence } from "../../../src/core/drill-in/diagnosis.js";
import type { JqEngine } from "../../../src/core/engines/jq/engine.js";
import { NO_RESULTS } from "../../../src/core/engines/jq/job.js";
import { addRecords, CALL, createTestStore, drillInOver, MEASURE } from "./stored-outputs.js";

const PAGE = { noun: "item", skip: 0, found: 400, less: "Ask for less.", next: () => undefined };

describe("answer within a token budget", () => {
  it("says of no item that it is cut when it is not, however little room there is", async () => {
    const item = '{"id":1,"name":"a name that has forty-seven"}';
    const notes = ["More is to say. ".repeat(9)];
    for (let limit = 4; limit < 80; limit += 1) {
      const list = { ...PAGE, items: [item, item], notes };
      const { text } = await listAnswer(MEASURE, limit, list);
      const [, shown] = /cut after (\d+) /.exec(text) ?? [];
      if (shown !== undefined) expect(Number(shown)).toBeLessThan(item.length);
      else if (text.startsWith(`${item}\n`)) expect(text).toContain("\n");
    }
  });
});

describe("the gate that every answer passes last", () => {
  const counted = async (text: string) => ({
    text,
    tokens: (await MEASURE.count(text)).tokens,
    failed: false,
  });

  it("never ends inside a next call", async () => {
    const call = `grep_tool_output {"id":"x","pattern":"${"word. ".repeat(12)}"}`;
    const lines = ["one two", "three. ".repeat(9), `Next call: ${call}`];
    for (let limit = 8; limit < 130; limit += 1) {
      const text = lines.join("\n");
      const held = await withinLimit(MEASURE, limit, await counted(text));
      const calls = held.text.split("\n").filter((line) => /Next call: /.test(line));
      for (const line of calls) expect(lines).toContain(line);
    }
  });
});

describe("a total of jq that was not counted to the end", () => {
  it.each([{ timedOut: true }, { outOfMemory: true }])(
    "is at least so many, and its next call asks for no more than was found: %j",
    async (how) => {
      const store = createTestStore();
      const { id } = addRecords(store, [{ name: "a" }], { lineCount: 1000 });
      const output = Array.from({ length: 900 }, (_, n) => `"the result with number ${n}"`);
      const jq: JqEngine = {
        run: async () => ({ ...NO_RESULTS, output: output.join("\n"), resultCount: 900, ...how }),
        outline: async () => undefined,
        warm: () => {},
        close: async () => {},
      };
      const drillIn = drillInOver(store, {}, { engines: { jq } });
      const { text } = await drillIn.run("jq", { id, filter: ".name" }, CALL);
      const shown = Number(/^Results 1 to (\d+) of at least 900\./m.exec(text)?.[1]);
      const next: unknown = JSON.parse(/^Next call: \w+ (.*)$/m.exec(text)?.[1] ?? "");
      expect(next).toEqual({ id, filter: ".name", skip: shown, limit: 900 - shown });
    },
  );
});

it("the nearest of many long names are found without holding the event loop", async () => {
  const long = "field_of_a_record_that_has_a_long_name_in_its_schema_";
  const names = Array.from({ length: 400 }, (_, index) => long + index);
  const query = names
    .slice(0, 12)
    .map((name) => `${name}x`)
    .join(" ");
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const told = await namesSentence(query, names);
  clearInterval(timer);
  expect(told).toContain(`nearest first: ${long}`);
  expect(turns).toBeGreaterThan(2);
});
