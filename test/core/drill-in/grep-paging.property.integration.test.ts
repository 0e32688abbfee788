import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import type { OwnDrillIn } from "../../../src/core/drill-in/drill-in.js";
import { createGrepEngine, type GrepEngine } from "../../../src/core/engines/grep/engine.js";
import { NO_HITS } from "../../../src/core/engines/grep/job.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../../src/core/engines/limits.js";
import { CALL, createTestStore, drillInOver } from "./stored-outputs.js";

const store = createTestStore();
const real = createGrepEngine(DEFAULT_DRILL_IN_LIMITS);
afterAll(() => real.close());

/** An engine whose searches are stopped after so many lines, which are told as those of one that time has stopped. */
function stoppedAfter(lines: readonly string[], most: number): GrepEngine {
  return {
    async run(request, signal) {
      const first = request.firstLineNumber ?? 1;
      const ends = request.part?.end ?? Buffer.byteLength(lines.join("\n"));
      const isPart = Buffer.byteLength(lines.slice(0, first - 1 + most).join("\n")) < ends;
      if (!isPart) return real.run(request, signal);
      const start = request.part?.start ?? 0;
      const end = Buffer.byteLength(lines.slice(0, first - 1 + most).join("\n")) + 1;
      const result = await real.run({ ...request, part: { start, end } }, signal);
      return { ...result, timedOut: true, outOfMemory: false, nextLine: first + most };
    },
    warm: () => {},
    close: async () => {},
  };
}

function drillInWith(grep: GrepEngine, maxOutputTokens: number): OwnDrillIn {
  return drillInOver(store, { maxOutputTokens }, { engines: { grep } });
}

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
  most: fc.constantFrom(7, 20, 1000),
  maxOutputTokens: fc.constantFrom(200, 300, 600),
  start: fc.nat(20),
  length: fc.integer({ min: 1, max: 60 }),
  isRange: fc.boolean(),
  context: fc.constantFrom(0, 0, 1, 3),
});

describe("the calls that grep answers with, followed to the end", () => {
  const ask = async (
    given: typeof question extends fc.Arbitrary<infer Question> ? Question : never,
    more: { readonly skip: number },
  ): Promise<{ readonly found: number[]; readonly hits: number[] }> => {
    const { flags, most, maxOutputTokens, start, length, isRange, context } = given;
    const lines = flags.map((flag, n) => `${flag ? "NEEDLE" : "hay"} ${n} ${"word ".repeat(8)}`);
    const { id } = store.add(lines.join("\n"));
    const first = Math.min(start + 1, lines.length);
    const last = Math.min(first + length, lines.length);
    const range = isRange ? { start_line: first, end_line: last } : {};
    const hits = flags
      .flatMap((flag, n) => (flag ? [n + 1] : []))
      .filter((number) => !isRange || (number >= first && number <= last));
    const sides = { before: context || undefined, after: context || undefined };
    const args = { id, pattern: "NEEDLE", ...sides, ...range, ...more };
    const drillIn = drillInWith(stoppedAfter(lines, most), maxOutputTokens);
    return { found: await follow(drillIn, args), hits };
  };

  it("give each hit once, in order, whatever stops a search", async () => {
    await fc.assert(
      fc.asyncProperty(question, fc.nat(9), async (given, skip) => {
        const { found, hits } = await ask(given, { skip });
        expect(found).toEqual(hits.slice(skip));
      }),
      { numRuns: 60 },
    );
  });
});

describe("a search that is ended from outside", () => {
  const lost: GrepEngine = {
    run: async () => ({ ...NO_HITS, timedOut: true }),
    warm: () => {},
    close: async () => {},
  };

  it("says that nothing is known", async () => {
    const text = "a line\n".repeat(1000);
    const { id } = store.add(text);
    const drillIn = drillInWith(lost, 1500);
    const answer = await drillIn.run("grep", { id, pattern: "a" }, CALL);
    expect(answer.text).toMatch(
      /^The number of matching lines is not known\.\nThe search was stopped after/,
    );
    expect(answer.text).not.toMatch(/At least 0|Next call/);
  });
});
