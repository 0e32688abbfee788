import { charactersIn } from "../../../src/util/text-encoding.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { listAnswer, withinLimit } from "../../../src/core/drill-in/answer.js";
import { namesSentence } from "../../../src/core/drill-in/diagnosis.js";
import type { JqEngine } from "../../../src/core/engines/jq/engine.js";
import { NO_RESULTS } from "../../../src/core/engines/jq/job.js";
import { addRecords, CALL, createTestStore, drillInOver, MEASURE } from "./stored-outputs.js";

const PAGE = { noun: "item", skip: 0, found: 400, less: "Ask for less.", next: () => undefined };

describe("answer within a token budget", () => {
  it("shows whole items only, and as many as fit", async () => {
    const items = Array.from(
      { length: 400 },
      (_, index) => `{"id":${index},"name":"item ${index}"}`,
    );
    const answer = await listAnswer(MEASURE, 300, { ...PAGE, head: "head", items });
    const lines = answer.text.split("\n");
    const shown = lines.length - 2;
    expect(lines.slice(1, -1)).toEqual(items.slice(0, shown));
    expect(lines.at(-1)).toBe(`Items 1 to ${shown} of 400. Ask for less.`);
    expect(answer.tokens).toBeLessThanOrEqual(300);
    expect(answer.tokens).toBeGreaterThan(300 * 0.8);
  });

  it("shows the beginning of a first item that is too large alone, no character split", async () => {
    const item = "😀漢 word ".repeat(2000);
    const answer = await listAnswer(MEASURE, 200, { ...PAGE, items: [item, "b"] });
    const [shown = "", last] = answer.text.split("…\n");
    expect(item.startsWith(shown)).toBe(true);
    expect(shown.isWellFormed()).toBe(true);
    const cut = `The first item is cut after ${charactersIn(shown)} characters. Ask for less.`;
    expect(last).toBe(cut);
    expect(shown.length).toBeGreaterThan(100);
  });

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

  it("holds any text to its limit, and leaves what is within it alone", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", maxLength: 3000 }),
        fc.string({ unit: "grapheme", maxLength: 200 }),
        fc.integer({ min: 8, max: 400 }),
        async (body, last, limit) => {
          const whole = await counted(`${body}\n${last}`);
          const held = await withinLimit(MEASURE, limit, whole);
          expect(held.tokens).toBeLessThanOrEqual(limit);
          expect(await counted(held.text)).toEqual(held);
          if (whole.tokens <= limit) expect(held).toEqual(whole);
        },
      ),
      { numRuns: 200 },
    );
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
