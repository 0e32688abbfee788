import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { isMemorySet } from "../../../src/core/describe/recipes/memory.js";
import type { Place } from "../../../src/core/profile/place.js";
import { profileRecords } from "../../../src/core/profile/profile.js";
import type { Content } from "../../../src/core/types/content.js";
import { rowsContent, valuesContent } from "../describe/fixture.js";
import { memories } from "../describe/samples.js";
import { countTurns } from "../../count-turns.js";

const large = (count: number, at: (index: number) => string): Content => ({
  ...valuesContent([]),
  body: new Uint8Array(9_000_000),
  records: { count, path: [], envelope: undefined, at },
});

describe("the profile", () => {
  it("names nested fields by dotted paths, commonest first", async () => {
    const content = valuesContent([{ b: 1 }, { a: { c: "x" }, b: 2 }]);
    const { fields, complete } = await profileRecords(content);
    expect(fields.map(({ name, count }) => `${name} ${count}`)).toEqual(["b 2", "a 1", "a.c 1"]);
    expect(complete).toBe(true);
  });

  it("looks at 1,000 records spread evenly and says that it is not complete", async () => {
    const seen: number[] = [];
    const profile = await profileRecords(
      large(1_000_000, (index) => {
        seen.push(index);
        return `{"a":${index}}`;
      }),
    );
    expect(profile).toMatchObject({ sampledCount: 1_000, recordCount: 1_000_000, complete: false });
    const sampled = seen.slice(-1_000);
    expect(sampled.map((index) => Math.floor(index / 1_000))).toEqual([...sampled.keys()]);
    expect(new Set(sampled.map((index) => index % 2)).size).toBe(2);
  });

  it("bounds fields, depth and names", async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 1]));
    const deep = JSON.parse(`${'{"d":'.repeat(20)}1${"}".repeat(20)}`);
    const profile = await profileRecords(valuesContent([deep, { ["n".repeat(200)]: 1 }, many]));
    expect(profile.fields).toHaveLength(2_000);
    expect(profile.lacksFields).toBe(true);
    expect(Math.max(...profile.fields.map(({ path }) => path.length))).toBe(12);
    expect(profile.fields.some(({ name }) => name.length > 128)).toBe(false);
  });

  it("holds 200,000 values of a wide table in all, and its decimals stay numbers", async () => {
    const columns = Array.from({ length: 300 }, (_, column) => column);
    const rows = Array.from({ length: 800 }, (_, row) =>
      columns.map((column) => ((row * 977 + column) % 9_973) / 8).join(","),
    );
    const content = rowsContent([columns.map((column) => `c${column}`), ...rows].join("\n"));
    const { fields } = await profileRecords(content);
    const held = fields.map(({ counts }) => counts.size);
    expect(held.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(200_000);
    expect(fields.every(({ numbersInText }) => numbersInText)).toBe(true);
  });

  it("lets others run whenever some time has passed, however few characters it has read", async () => {
    let time = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (time += 10));
    const counted = countTurns();
    await profileRecords(large(2_000, (id) => `{"id":${id}}`));
    counted.stop();
    vi.restoreAllMocks();
    expect(counted.turns()).toBeGreaterThan(500);
  });
});

it.each(["light", "medium", "full"] as const)(
  "memories are recognized at level %s, with fields missing and null",
  async (detail) => {
    expect(isMemorySet(await profileRecords(valuesContent(memories(60, detail))))).toBe(true);
  },
);

const byText = (one: string, other: string): number => (one < other ? -1 : 1);

/** What is found of the field `m`, which all records have. */
async function foundOf(all: readonly Readonly<Record<string, unknown>>[]): Promise<Place> {
  const records = all.map((m, id) => ({ id, m }));
  const { fields } = await profileRecords(valuesContent(records));
  return fields.find(({ name }) => name === "m")!;
}

const names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota"];
const word = fc.constantFrom("y", "n", "a #1");
const member = fc.record({ official: word, common: word }, { requiredKeys: ["official"] });
const kinds: readonly fc.Arbitrary<unknown>[] = [
  word,
  fc.integer(),
  member,
  fc.array(word),
  fc.boolean(),
];
const anything = fc.oneof(...kinds, fc.constant(null));
const codes = fc.uniqueArray(fc.stringMatching(/^[A-Z]{3}$/), { minLength: 24, maxLength: 90 });

const codesOf = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `user${String.fromCodePoint(97 + (at % 26))}${at}`);

describe("objects whose keys are data", () => {
  it("are none whose keys begin with @, as attributes of XML do", async () => {
    const attributes = { "@name": "n", "@time": "1", "@file": "f", "@line": "2", "#text": "t" };
    const { members, fields } = await foundOf(Array.from({ length: 90 }, () => attributes));
    expect([members, fields.length]).toEqual([undefined, 5]);
    const mails = Object.fromEntries(codesOf(30).map((one) => [`${one}@example.org`, 1]));
    expect((await foundOf([mails])).members).toBeDefined();
  });

  it("lose no key and no value, whatever they hold", async () => {
    const key = fc.oneof(fc.constantFrom(...names), fc.stringMatching(/^\d{1,3}$|^[a-z]{1,2}$/));
    const objects = fc.array(fc.dictionary(key, anything, { maxKeys: 40 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(objects, async (all) => {
        const { keys: ofMap, members, fields } = await foundOf(all);
        const keys = all.flatMap((each) => Object.keys(each));
        const told = [...fields.map(({ key }) => key), ...(ofMap?.keys() ?? [])];
        expect(told.map(String).toSorted(byText)).toEqual([...new Set(keys)].toSorted(byText));
        const counted = fields.reduce((sum, { count }) => sum + count, members?.count ?? 0);
        expect(counted).toBe(keys.length);
      }),
      { numRuns: 100 },
    );
  });

  it("are maps when their keys vary and their values are alike", async () => {
    await fc.assert(
      fc.asyncProperty(codes, fc.constantFrom(...kinds.slice(0, 4)), async (keys, kind) => {
        const values = fc.sample(kind, { numRuns: keys.length * 2, seed: 7 });
        const all = keys.map((key, at) => ({
          [key]: values[2 * at],
          [keys[(at + 1) % keys.length]!]: values[2 * at + 1],
        }));
        const { keys: ofMap = new Map(), members, fields } = await foundOf(all);
        expect(fields).toEqual([]);
        expect([...ofMap.keys()].toSorted(byText)).toEqual(keys.toSorted(byText));
        expect(members?.count).toBe(2 * keys.length);
      }),
      { numRuns: 60 },
    );
  });

  it("are no maps where they have a few names, in any records", async () => {
    const some = fc.uniqueArray(fc.constantFrom(...names.slice(0, 7)), { maxLength: 7 });
    const objects = some.chain((keys) => {
      const fields = Object.fromEntries(keys.map((key) => [key, anything]));
      return fc.array(fc.record(fields, { requiredKeys: [] }), { minLength: 1, maxLength: 30 });
    });
    await fc.assert(
      fc.asyncProperty(objects, async (all) => {
        expect((await foundOf(all)).members).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });
});
