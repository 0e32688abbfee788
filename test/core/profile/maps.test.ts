import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { profileRecords } from "../../../src/core/profile/profile.js";
import type { Place } from "../../../src/core/profile/place.js";
import { valuesContent } from "../describe/fixture.js";

const byText = (one: string, other: string): number => (one < other ? -1 : 1);

type Members = Readonly<Record<string, unknown>>;

/** What is found of the field `m`, which all records have. */
async function foundOf(all: readonly Members[]): Promise<Place> {
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
