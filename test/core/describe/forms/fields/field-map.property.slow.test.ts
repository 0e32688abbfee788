import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startWorkCounter } from "../../../drill-in/count-work.js";
import { describeArtifact, FORM_BUDGET_TOKENS } from "../../../../../src/core/describe/describe.js";
import { fieldMap } from "../../../../../src/core/describe/forms/fields/field-map.js";
import { lineSchema } from "../../../../../src/core/describe/forms/line-schema.js";
import { profileRecords } from "../../../../../src/core/profile/profile.js";
import { ALL_TOOLS, countTokens, recordsContent, store } from "../../fixture.js";

/** Far less than a look at each character. */
const MAX_WORK = 100_000;

const key = fc.constantFrom(
  "a",
  "b",
  "c.d",
  "__proto__",
  "constructor",
  "toString",
  "1",
  "…",
  "$&",
);
const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map(String),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => JSON.stringify(n)),
  fc.constantFrom("1e400", "-1e400", "1e-400", "-0", "0.10", "1E2", "0.30000000000000000001"),
);
const text = fc.oneof(
  fc.constantFrom("x", "y", "", "…", "2026-01-01", "2025-01-01T10:00:00Z", "12", "-3.5", "1e3"),
  fc.string({ unit: "binary", maxLength: 90 }),
);
const scalar = fc.oneof(
  number,
  text.map((t) => JSON.stringify(t)),
  fc.constantFrom("null", "true"),
);
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 4 }).map((all) => `[${all.join()}]`) },
);
/** JSON text of records, so that numbers are any that a text can hold. */
const recordText = fc
  .uniqueArray(fc.tuple(key, value), { maxLength: 5, selector: ([name]) => name })
  .map((members) => `{${members.map(([k, v]) => `${JSON.stringify(k)}:${v}`).join()}}`);
const recordTexts = fc.array(recordText, { minLength: 1, maxLength: 30 });

/** A number's exact value as a fraction, for comparison without rounding. */
function fraction(literal: string): readonly [numerator: bigint, denominator: bigint] {
  const [mantissa = "", exponent = "0"] = literal.toLowerCase().split("e");
  const [whole = "", digits = ""] = mantissa.split(".");
  const power = Number(exponent) - digits.length;
  const numerator = BigInt(`${whole}${digits}`.replace(/^-/, ""));
  const signed = literal.startsWith("-") ? -numerator : numerator;
  return power < 0 ? [signed, 10n ** BigInt(-power)] : [signed * 10n ** BigInt(power), 1n];
}

function isAtMost(one: string, other: string): boolean {
  const [a, b] = fraction(one);
  const [c, d] = fraction(other);
  return a * d <= c * b;
}

/** The literals of the numbers of a field, which a parser would change. */
function numbersOf(texts: readonly string[], name: string): string[] {
  const start = `${JSON.stringify(name)}:`;
  return texts.flatMap((record) => {
    const members = record.slice(1, -1).split(/,(?=")/);
    const member = members.find((each) => each.startsWith(start))?.slice(start.length);
    return member !== undefined && /^-?\d/.test(member) ? [member] : [];
  });
}

function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

/** Records whose members are numbers only can be taken apart without a parser. */
const numberTexts = fc.array(
  fc
    .uniqueArray(fc.tuple(fc.constantFrom("a", "b"), number), { selector: ([name]) => name })
    .map((members) => `{${members.map(([k, v]) => `${JSON.stringify(k)}:${v}`).join()}}`),
  { minLength: 1, maxLength: 12 },
);

describe("what the card states", () => {
  it("is the lowest and the highest number to the last digit, or nothing", async () => {
    let stated = 0;
    await fc.assert(
      fc.asyncProperty(numberTexts, async (texts) => {
        const { fields } = await profileRecords(recordsContent(texts));
        for (const { name, numberRange } of fields) {
          const literals = numbersOf(texts, name);
          if (numberRange === undefined) continue;
          stated += 1;
          for (const bound of [numberRange.min, numberRange.max]) {
            expect(literals.some((l) => isAtMost(l, bound) && isAtMost(bound, l))).toBe(true);
          }
          for (const literal of literals) {
            expect(isAtMost(numberRange.min, literal)).toBe(true);
            expect(isAtMost(literal, numberRange.max)).toBe(true);
          }
        }
      }),
      { numRuns: 200 },
    );
    expect(stated).toBeGreaterThan(20);
  });

  it("is the count of each value, of those that lack it, and of all that differ", async () => {
    let stated = 0;
    await fc.assert(
      fc.asyncProperty(recordTexts, async (texts) => {
        const profile = await profileRecords(recordsContent(texts));
        const stating = fieldMap(profile, { maxFields: 99, detail: "examples", maxValues: 99 });
        const records: Readonly<Record<string, unknown>>[] = texts.map((each) => JSON.parse(each));
        if (typeof stating !== "object" || stating === null) return;
        for (const [shown, text] of Object.entries(stating as Record<string, string>)) {
          const name = shown.startsWith('"') ? String(JSON.parse(shown)) : shown;
          const having = records.filter((each) => Object.hasOwn(each, name));
          const lack = / (\d+) lack it/.exec(text)?.[1] ?? "0";
          expect(having.length + Number(lack)).toBe(records.length);
          const scalars = having.map((each) => each[name]).filter(isScalar);
          for (const [, label = "", count] of text.matchAll(
            /[:,] ("(?:[^"\\]|\\.)*"|[^",×]+) ×(\d+)/gu,
          )) {
            stated += 1;
            const value = label.startsWith('"') ? String(JSON.parse(label)) : label;
            expect(scalars.filter((each) => String(each) === value)).toHaveLength(Number(count));
          }
          const [, different] = /(\d+) different/.exec(text) ?? [];
          const filled = new Set(scalars.filter((value) => value !== ""));
          if (different !== undefined) expect(filled.size).toBe(Number(different));
          if (text.includes(", unique")) expect(new Set(scalars).size).toBe(scalars.length);
        }
      }),
      { numRuns: 150 },
    );
    expect(stated).toBeGreaterThan(0);
  });

  it("is the same whenever it is asked for, within the budget, beside a schema that holds", async () => {
    await fc.assert(
      fc.asyncProperty(
        recordTexts,
        fc.integer({ min: 20, max: 5_000 }),
        async (texts, outputTokens) => {
          const made = async () => {
            const stored = await store(recordsContent(texts), { tokens: outputTokens });
            return await describeArtifact(
              { ...stored, tools: ALL_TOOLS, count: countTokens },
              { form: "generic" },
            );
          };
          const first = await made();
          expect(await made()).toEqual(first);
          expect(first.tokens).toBeLessThanOrEqual(FORM_BUDGET_TOKENS[first.form]);
          const isLeast = Object.keys(JSON.parse(first.text)).length === 2;
          if (!isLeast) expect(first.tokens).toBeLessThanOrEqual(0.8 * outputTokens);
          expect(first.text).not.toMatch(/\p{Cc}/u);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("hostile records", () => {
  const wide = (record: number): string =>
    JSON.stringify(
      Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${record}_${index}`, 1])),
    );
  it.each([
    ["with 100,000 keys, all different", () => [wide(0), wide(1), wide(2)]],
    ["with keys of 1 MB", () => [`{"${"k".repeat(1_000_000)}":1,"a":2}`, '{"a":3}']],
    ["with values of 10 MB", () => [`{"a":"${"v".repeat(10_000_000)}"}`, '{"a":"x"}']],
    ["with a number of a million digits", () => [`{"a":1${"0".repeat(1_000_000)}1}`, '{"a":1}']],
    ["with numbers that are nearly none", () => [`{"a":${"1.5e-3,".repeat(9).slice(0, -1)}}`]],
  ])("%s give a short schema and card with bounded work", async (_, make) => {
    const content = recordsContent(make());
    const counter = await startWorkCounter();
    const work = await counter.count(async () => {
      const profile = await profileRecords(content);
      const fields = JSON.stringify(fieldMap(profile, { maxFields: 40, detail: "examples" }));
      expect(fields.length).toBeLessThan(4_000);
      expect(JSON.stringify(lineSchema(profile, { maxFields: 40 })).length).toBeLessThan(6_000);
    });
    await counter.stop();
    expect(work).toBeLessThan(MAX_WORK);
  });
});
