import fc from "fast-check";
import { afterAll, expect, it } from "vitest";

import type { OwnDrillIn } from "../../../src/core/drill-in/drill-in.js";
import { createGrepEngine, type GrepEngine } from "../../../src/core/engines/grep/engine.js";
import { NO_HITS } from "../../../src/core/engines/grep/job.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../../src/core/engines/limits.js";
import { CALL, createTestStore, drillInOver } from "./stored-outputs.js";

const store = createTestStore();
const real = createGrepEngine(DEFAULT_DRILL_IN_LIMITS);
afterAll(() => real.close());

/** The numbers of the hits of an answer and of all that its calls lead to. */
async function follow(drillIn: OwnDrillIn, first: object): Promise<number[]> {
  const found: number[] = [];
  const calls: unknown[] = [first];
  for (let call = calls.shift(), pages = 0; call !== undefined; call = calls.shift()) {
    const { text } = await drillIn.run("grep", call, CALL);
    for (const [, number] of text.matchAll(/^(\d+):/gm)) found.push(Number(number));
    for (const [, json] of text.matchAll(/^Next call: \w+ (\{.*\})$/gm))
      calls.push(JSON.parse(json ?? ""));
    pages += 1;
    if (pages > 300) throw new Error(`The calls do not end: ${text}`);
  }
  return found;
}

const question = fc.record({
  flags: fc.array(fc.boolean(), { minLength: 2, maxLength: 60 }),
  maxOutputTokens: fc.constantFrom(200, 300, 600),
  start: fc.nat(20),
  length: fc.integer({ min: 1, max: 60 }),
  isRange: fc.boolean(),
  context: fc.constantFrom(0, 0, 1, 3),
});

it("the calls that grep answers with, followed to the end give each hit once, in order", async () => {
  await fc.assert(
    fc.asyncProperty(question, fc.nat(9), async (given, skip) => {
      const { flags, maxOutputTokens, start, length, isRange, context } = given;
      const lines = flags.map((flag, n) => `${flag ? "NEEDLE" : "hay"} ${n} ${"word ".repeat(8)}`);
      const { id } = store.add(lines.join("\n"));
      const first = Math.min(start + 1, lines.length);
      const last = Math.min(first + length, lines.length);
      const range = isRange ? { start_line: first, end_line: last } : {};
      const hits = flags
        .flatMap((flag, n) => (flag ? [n + 1] : []))
        .filter((number) => !isRange || (number >= first && number <= last));
      const sides = { before: context || undefined, after: context || undefined };
      const drillIn = drillInOver(store, { maxOutputTokens }, { engines: { grep: real } });
      const args = { id, pattern: "NEEDLE", ...sides, ...range, skip };
      expect(await follow(drillIn, args)).toEqual(hits.slice(skip));
    }),
    { numRuns: 60 },
  );
});

it.each([
  [{}, /^The number of matching lines is not known\.\nThe search .* the end of the output\.$/],
  [
    { totalMatches: 40, totalOccurrences: 40, nextLine: 500 },
    /^At least 40 matching lines\.\n.*\nThe search .* before line 500\./,
  ],
])("a search that is stopped says what is known: %j", async (found, told) => {
  const { id } = store.add("a line\n".repeat(1000));
  const grep: GrepEngine = {
    run: async () => ({ ...NO_HITS, timedOut: true, ...found }),
    warm: () => {},
    close: async () => {},
  };
  const drillIn = drillInOver(store, {}, { engines: { grep } });
  const answer = await drillIn.run("grep", { id, pattern: "a" }, CALL);
  expect(answer.text).toMatch(told);
});
