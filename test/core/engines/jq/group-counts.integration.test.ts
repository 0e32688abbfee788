import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import { createJqEngine, type JqResult } from "../../../../src/core/engines/jq/engine.js";
import { countGroups, groupCountPlan } from "../../../../src/core/engines/jq/group-counts.js";
import { openSource } from "../../../../src/core/engines/readers/byte-reader.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../../../src/core/engines/limits.js";

const engine = createJqEngine(DEFAULT_DRILL_IN_LIMITS);
afterAll(() => engine.close());

/** The same for jq, and for nobody else: no filter with it is counted. */
const AS_IT_IS = "if true then . else . end | ";

async function run(filter: string, body: string, slurp: boolean): Promise<JqResult> {
  return await engine.run({
    source: { bytes: Buffer.from(body) },
    layout: "records",
    filter,
    slurp,
    maxOutputBytes: 1_000_000,
  });
}

function counted(filter: string, body: string, slurp = true): string | undefined {
  const plan = groupCountPlan({ filter, slurp });
  const source = openSource({ bytes: Buffer.from(body) });
  return plan && countGroups(source, plan, () => {})?.toString();
}

/** What jq alone gives. */
async function alone(filter: string, body: string, slurp: boolean): Promise<JqResult> {
  const given = AS_IT_IS + filter;
  expect(groupCountPlan({ filter: given, slurp })).toBeUndefined();
  return await run(given, body, slurp);
}

const BODIES = [
  "map({x: .[0].x, count: length})",
  'map({"a b": .[0].x, n: length}) | sort_by(-.n, ."a b") | .[:3]',
  "map({key: .[0].x, value: length}) | from_entries",
  "length",
  "map({x: .[0].x, length: length}) | reverse | .[]",
  "map({x: .[0].x, count: length}) | map(select(.count > 1)) | length, .",
  "map({count: length} # no field\n)",
  "map({x: .[0].x.y, length: length})",
  'map({x: .[0].x}) | .[0].x, error("own")',
];
const OTHERS = [
  "map(.x) | unique",
  "map(.x) | unique | length",
  "map(.x) | group_by(.) | map({value: .[0], count: length})",
  "group_by(.y.x) | map({z: .[0].y.x, n: length})",
];
const FILTERS = [...BODIES.map((body) => `group_by(.x) | ${body}`), ...OTHERS];

const value = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('"a"', '"b"', '"é😀"', "1", "2", "10", "null", "true", "false"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...'1.0 1e0 -0 0 -1 9007199254740993 1e400 "\\u0061" "a\\nb" "\\ud83d"'.split(" "),
      ...'"\\ud83d\\ude00" "\\udc00" [1] {"x":1} "\u007f" "�" ""'.split(" "),
      '"__proto__"',
      "0.5",
    ),
  },
);
const record = fc.oneof(
  { weight: 12, arbitrary: value.map((x) => `{"x":${x},"z":1.50}`) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(value, value)
      .map(([x, y]) => `{"z":"\\n \\"x\\":3","x": ${x},"y":{"x":${y}}}`),
  },
  { weight: 1, arbitrary: value.map((x) => `{"x":7,"\\u0078":${x}}`) },
  { weight: 1, arbitrary: fc.tuple(value, value).map(([x, y]) => `{"x":${x},"x":${y}}`) },
  { weight: 1, arbitrary: fc.constant('{"y":2}') },
  { weight: 1, arbitrary: value },
);
/** Now and then what is no line of JSON. */
const broken = fc.constantFrom(
  ...'{"x":1~"x":1}~{"x":1},{"x":2}~~ ~NaN~{x:1}~{"x":1} {"x":2}~[{}~]'.split("~"),
);
const lines = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.array(
      value.map((x) => `{"x":${x}}`),
      { maxLength: 30 },
    ),
  },
  { weight: 6, arbitrary: fc.array(record, { maxLength: 30 }) },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.oneof({ weight: 9, arbitrary: record }, { weight: 1, arbitrary: broken }),
      { maxLength: 12 },
    ),
  },
);

it("a filter that only counts values gives what jq gives, byte for byte, for whatever records", async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...FILTERS),
      lines,
      fc.boolean(),
      async (filter, records, slurp) => {
        const body = records.map((line) => `${line}\n`).join("");
        const given = slurp ? filter : `[inputs] | ${filter}`;
        if (counted(given, body, slurp) !== undefined) taken += 1;
        expect(await run(given, body, slurp)).toEqual(await alone(given, body, slurp));
      },
    ),
    { numRuns: 150 },
  );
  expect(taken).toBeGreaterThan(30);
});

describe("what is counted", () => {
  it.each(['{"x" :5.0,"y":{"x":5}}\n', '{"y":{"x":5},"x" :5.0}\n'])(
    "not a number that may stand elsewhere in its record: %j",
    async (body) => {
      expect(counted("map(.x) | unique", body)).toBeUndefined();
      expect((await run("map(.x) | unique", body, true)).output).toBe("[5.0]");
    },
  );

  it("is bounded: of too many values, or too long a record, jq makes its own answer", async () => {
    const many = Array.from({ length: 10_001 }, (_, x) => `{"x":${x}}\n`).join("");
    expect(counted("group_by(.x) | length", many)).toBeUndefined();
    expect((await run("group_by(.x) | length", many, true)).output).toBe("10001");
    const deep = `{"x":${"[".repeat(9000)}${"]".repeat(9000)}}\n`;
    expect(counted("group_by(.y) | length", deep)).toBeUndefined();
    expect(counted("group_by(.y) | length", `{"x":"${"a".repeat(300_000)}"}\n`)).toBeUndefined();
  });

  it("is read in time that does not grow with what a filter hides in it", () => {
    const filter = `group_by(.x) | map(${"[".repeat(15_000)}`;
    expect(groupCountPlan({ filter, slurp: true })).toBeUndefined();
  });
});
