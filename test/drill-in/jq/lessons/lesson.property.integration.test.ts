import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import { addRecords, createTestStore, drillInOver, MEASURE, SCOPE } from "../../stored-outputs.js";

const store = createTestStore();
const drillIn = drillInOver(store);
afterAll(() => drillIn.close());

const RECORDS = Array.from({ length: 60 }, (_, index) => ({
  name: { common: `Land ${index}`, official: `Land number ${index}` },
  region: index % 3 === 0 ? "Europe" : "Asia",
  landlocked: index % 2 === 0,
  area: index,
  price: `$${index}.50`,
  code: String(index),
  day: `2021-07-${String(10 + (index % 20))}T00:00:00`,
  borders: ["AUT", "DEU"],
  "due date": null,
}));

const { id } = addRecords(store, RECORDS, {
  fields: ["name", "name.common", "name.official", "region", "landlocked", "area"],
});

async function ask(filter: string, slurp = false): Promise<string> {
  return (await drillIn.jq({ id, filter, slurp }, SCOPE)).text;
}

describe("what jq says of a filter that has found nothing", () => {
  it.each([
    [
      'select(.region == "europe")',
      '.region is never "europe"; nearest: "Europe". Its values: "Asia" (40), "Europe" (20).',
    ],
    [
      'select(.day == "2021-07-11")',
      '.day is never "2021-07-11", but begins with it, as in "2021-07-11T00:00:00": write .day | startswith("2021-07-11").',
    ],
    [
      'select(.landlocked == "true")',
      ".landlocked is a boolean, such as true: write it without quotes.",
    ],
    ["select(.code == 7)", '.code is text, such as "0": write (.code | tonumber) == 7.'],
    ['select(.borders == "AUT")', '.borders is a list: write any(.borders[]; . == "AUT").'],
    [
      'select(.borders[] == "POL")',
      '.borders[] is never "POL". Its values: "AUT" (60), "DEU" (60).',
    ],
    ['select(.name == "Land 1")', ".name is an object, not a value."],
    ['select(.regoin == "Asia")', "No record has .regoin; nearest: .region."],
    ['select(.region | test("north"))', 'Values of .region: "Asia" (40), "Europe" (20).'],
    ['select(."due date" == "x")', '."due date" is always null.'],
    [".region.north?", "No record has .region.north."],
    ["select(.name.common.en? == 1)", "No record has .name.common.en."],
  ])("%s", async (filter, lesson) => {
    expect(await ask(filter)).toBe(`0 results.\n${lesson}`);
  });

  it("and of one that has counted nothing, or made nothing but null", async () => {
    expect(await ask('[inputs | select(.region == "asia")] | length')).toMatch(
      /^0\n1 result\.\n\.region is never "asia"/,
    );
    expect(await ask('map(select(.region == "asia"))', true)).toMatch(
      /^\[\]\n1 result\.\n\.region is never "asia"/,
    );
    expect(await ask("first(inputs) | {a: .area, b: .capitl, c: .name.comon}")).toMatch(
      /^\{"a":0,"b":null,"c":null\}\n1 result\.\nNo record has \.capitl.* No record has \.name\.comon; nearest: \.name\.common\.$/,
    );
    expect(await ask(".common")).toBe(
      "60 results, all null. No record has .common itself; there is .name.common.",
    );
  });

  it("and of texts that are numbers, beside what was found", async () => {
    expect(await ask("select(.code > 58) | .area")).toMatch(
      /^0\n1\n[\s\S]*\n60 results\.\n\.code is text.* write \(\.code \| tonumber\) > 58\.$/,
    );
    expect(await ask("max_by(.code) | .area", true)).toMatch(
      /^9\n1 result\.\n\.code is text, .* write max_by\(\.code \| tonumber\)\.$/,
    );
    expect(await ask("map(.price) | add | length", true)).toContain(
      'write (.price | gsub("[$€£%, ]"; "") | tonumber)',
    );
  });

  it.each([
    'select(.region == "Europe" and .area > 1000)',
    'select(.region == "Europe") | ."due date"',
    "[.[] | numbers] | map(select(. > 100))",
    "sort_by(.region) | .[0].area",
    'capture("(?<code>x)") | .code',
    "{} | tojson | fromjson | .user",
    "to_entries | map({key: .value | tostring, value: 1}) | from_entries | .nothing",
    "$ENV.HOME",
    "{(.region): 1} | .Africa",
    '{k: .region} | select(.k == "x") | .k',
  ])("is nothing where nothing is amiss with a field: %s", async (filter) => {
    const slurp = filter.startsWith("sort_by");
    const text = await ask(filter, slurp);
    expect(text).not.toMatch(/No record has|is never|is text/);
  });

  it("an error tells on how many records it came, and the first of them", async () => {
    expect(await ask('.code | if . > "3" then error("no") else empty end')).toBe(
      'jq: error: no\nIt fails on 36 of 60 records, first on record 5: {"code":"4"}'.replace(
        "36",
        String(RECORDS.filter(({ code }) => code > "3").length),
      ),
    );
    expect(await ask(".area[]")).toMatch(
      /\nIt fails on all 60 records, such as record 1: \{"area":0\}\n/,
    );
    expect(await ask("[inputs | .area[]]")).not.toContain("It fails on");
  });

  it("names no field that no record has but the one that was asked for, and changes no result", async () => {
    const name = fc.constantFrom(
      "name",
      "nam",
      "common",
      "comon",
      "region",
      "regions",
      "area",
      "aera",
      "due date",
      "zzz",
      "borders",
      "code",
    );
    const path = fc
      .array(name, { minLength: 1, maxLength: 3 })
      .map((names) => names.map((one) => `.${JSON.stringify(one)}?`).join(""));
    const value = fc.constantFrom('"Europe"', '"europe"', "7", "true", '"AUT"', '"2021-07"');
    const operator = fc.constantFrom("==", ">", "<=");
    const filter = fc.oneof(
      path,
      fc.tuple(path, path).map(([one, other]) => `{a: ${one}, b: ${other}}`),
      fc
        .tuple(path, operator, value)
        .map(([one, mark, compared]) => `select(${one} ${mark} ${compared}) | .area`),
    );
    await fc.assert(
      fc.asyncProperty(filter, async (asked) => {
        const answer = await drillIn.jq({ id, filter: asked }, SCOPE);
        const plain = await drillIn.jq(
          { id, filter: `(${asked})`.replaceAll('"?', '" ?'), slurp: false },
          SCOPE,
        );
        expect(answer.foundCount).toBe(plain.foundCount);
        expect((await MEASURE.count(answer.text)).tokens).toBeLessThanOrEqual(2000);
        for (const [, listed = ""] of answer.text.matchAll(/nearest: ((?:\.\S+(?:, )?)+)\./g)) {
          for (const near of listed.split(", ")) {
            const there = await drillIn.jq({ id, filter: `[inputs | ${near}] | length` }, SCOPE);
            expect(`${near} ${there.text.split("\n")[0]}`).toBe(`${near} 60`);
          }
        }
      }),
      { numRuns: 20 },
    );
  }, 120_000);
});
