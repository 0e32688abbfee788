import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { listAnswer, withinLimit } from "../../../src/core/drill-in/answer.js";
import type { JqEngine } from "../../../src/core/engines/jq/engine.js";
import { NO_RESULTS } from "../../../src/core/engines/jq/job.js";
import {
  addRecords,
  bodyOf,
  CALL,
  createTestStore,
  drillInOver,
  MEASURE,
  nextOf,
  readAll,
} from "./stored-outputs.js";

/** What a terminal obeys instead of showing it. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const OBEYED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u0080-\u009f\u202e]/;

const LINES = Array.from({ length: 1000 }, (_, index) => `line ${index + 1} of the log`);

function lineStore(): { store: ReturnType<typeof createTestStore>; id: string } {
  const store = createTestStore();
  const { id } = store.add(`${LINES.join("\n")}\n`);
  return { store, id };
}

it.each([
  [{ start_line: -2 }, LINES.slice(-2)],
  [{ start_line: "-2", end_line: "-2" }, LINES.slice(-2, -1)],
  [{ start_line: 999, end_line: 5000 }, LINES.slice(998)],
  [{ start_line: 0, end_line: 2 }, LINES.slice(0, 2)],
  [{ end_line: -999 }, LINES.slice(0, 2)],
  [{ start_line: -5000, end_line: 1 }, LINES.slice(0, 1)],
])("reading by lines takes %j", async (part, lines) => {
  const { store, id } = lineStore();
  const answer = await drillInOver(store).run("read", { id, ...part }, CALL);
  expect(answer.failed).toBe(false);
  expect(bodyOf(answer)).toBe(`${lines.join("\n")}\n`);
});

describe("reading by characters", () => {
  it("pages inside one line of 10 MB, at its beginning and at its end", async () => {
    const store = createTestStore();
    const line = JSON.stringify(
      Array.from({ length: 200_000 }, (_, id) => ({ id, name: `Zoë ${id} 漢字 😀 and more` })),
    );
    const { id } = store.add(line);
    const drillIn = drillInOver(store);
    let joined = "";
    let args: unknown = { id };
    for (let page = 0; page < 20; page += 1) {
      const answer = await drillIn.run("read", args, CALL);
      joined += bodyOf(answer);
      args = nextOf(answer);
    }
    expect(line.startsWith(joined)).toBe(true);
    expect(joined.length).toBeGreaterThan(20 * 1000);
    expect(args).toEqual({ id, start_line: 1, start_character: Array.from(joined).length });
    const tail = await drillIn.run("read", { id, start: -500 }, CALL);
    expect(bodyOf(tail)).toBe(Array.from(line).slice(-500).join(""));
    expect(tail.text).toMatch(/^Characters [\d,]+ to [\d,]+, the end:\n/);
  });

  it("counts characters, not bytes or UTF-16 units", async () => {
    const store = createTestStore();
    const { id } = store.add("aé漢😀z");
    const drillIn = drillInOver(store);
    expect(bodyOf(await drillIn.run("read", { id, start: 1, end: 4 }, CALL))).toBe("é漢😀");
    expect(bodyOf(await drillIn.run("read", { id, start: -2 }, CALL))).toBe("😀z");
    expect(bodyOf(await drillIn.run("read", { id, end: -3 }, CALL))).toBe("aé");
    expect((await drillIn.run("read", { id, start: 5 }, CALL)).text).toMatch(
      /past the end: .* has 5 characters/,
    );
  });
});

describe("reading by records", () => {
  it("counts from the first record behind the header line", async () => {
    const store = createTestStore();
    const { id } = addRecords(store, [{ a: 1 }, { a: 2 }, { a: 3 }]);
    const drillIn = drillInOver(store);
    const answer = await drillIn.run("read", { id, start_record: 2, end_record: 2 }, CALL);
    expect(answer.text).toMatch(/^Record 2 of 3:\n/);
    expect(bodyOf(answer)).toBe('{"a":2}\n');
    expect(bodyOf(await drillIn.run("read", { id, start_record: -1 }, CALL))).toBe('{"a":3}\n');
    expect((await drillIn.run("read", { id, start_record: 4 }, CALL)).text).toMatch(
      /has 3 records/,
    );
  });

  it("counts the rows of a table below its column names", async () => {
    const store = createTestStore();
    const { id } = store.add("name,age\nAda,36\nAlan,41\n", {
      layout: "rows",
      kind: "csv",
      recordCount: 2,
    });
    const answer = await drillInOver(store).run("read", { id, start_record: 2 }, CALL);
    expect(bodyOf(answer)).toBe("Alan,41\n");
  });
});

describe("every byte is within reach", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(
      "\n",
      "\r\n",
      "\n\n",
      "\uFEFF",
      "\u0000",
      "漢字".repeat(60),
      "😀".repeat(50),
      "x".repeat(900),
    ),
    fc.constantFrom("\ud800", "\udfff"),
    fc.constantFrom("\u001b[31m", "\\u{1b}", "\\u{", "\u202e", "\r", "\u0085"),
  );
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));

  it("gives the stored text when the next calls are followed from the first", async () => {
    await fc.assert(
      fc.asyncProperty(
        text.filter((value) => value !== ""),
        fc.constantFrom({}, { start: 0 }, { start_line: 1 }),
        fc.integer({ min: 160, max: 600 }),
        async (stored, first, maxOutputTokens) => {
          const store = createTestStore();
          const { id } = store.add(stored);
          const { text, answers } = await readAll(drillInOver(store, { maxOutputTokens }), {
            id,
            ...first,
          });
          expect(text).toBe(stored.toWellFormed());
          for (const answer of answers) {
            expect(answer.text.search(OBEYED)).toBe(-1);
            expect((await MEASURE.count(answer.text)).tokens).toBe(answer.tokens);
            expect(answer.tokens).toBeLessThanOrEqual(maxOutputTokens);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it("gives every record when the next calls are followed by records", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.json({ maxDepth: 2 }), { minLength: 1, maxLength: 30 }),
        async (values) => {
          const store = createTestStore();
          const { id } = addRecords(store, values);
          const { text } = await readAll(drillInOver(store, { maxOutputTokens: 160 }), {
            id,
            start_record: 1,
          });
          expect(text).toBe(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
        },
      ),
      { numRuns: 20 },
    );
  });
});

const PAGE = { noun: "item", skip: 0, found: 400, less: "Ask for less.", next: () => undefined };

it("an answer within a token budget says of no item that it is cut when it is not, however little room there is", async () => {
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

it.each([
  { timedOut: true, error: "jq: error: y" },
  { outOfMemory: true, error: undefined },
])(
  "a total of jq that was not counted to the end is at least so many, and its next call asks for no more than was found: %j",
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
    expect(text).toContain(how.error ?? "");
    const next: unknown = JSON.parse(/^Next call: \w+ (.*)$/m.exec(text)?.[1] ?? "");
    expect(next).toEqual({ id, filter: ".name", skip: shown, limit: 900 - shown });
  },
);
