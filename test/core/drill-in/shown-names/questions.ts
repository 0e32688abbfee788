import fc from "fast-check";

/** What a call may pass for a number: right, out of range, too large, misspelt, empty. */
const NUMBERS = [1, 2, 5, 300, 0, -1, -400, 9000, 99_999, 1e15, 1e300, 2.5];
const number = fc.constantFrom<unknown>(...NUMBERS, "7", "x", "", null, [1], { a: 1 });
const flag = fc.constantFrom<unknown>(true, false, "true", "yes", "", null, 7);
const LONG = "x".repeat(20_000);

const pattern = fc.constantFrom<unknown>(
  ..."note~a~item~note|item~ERROR~nothing at all~^~x*~(?=a)~(a)\\1~(~[~(?>a)".split("~"),
  ..."a{2000}~a++~".split("~"),
  LONG,
  7,
  null,
);
const filter = fc.constantFrom<unknown>(
  ...".~inputs~input~.city~.note~.[0]~.[]~keys~[inputs] | length~sort_by(.number)".split("~"),
  ..."group_by(.city)~map(.city)~.city.name~.nothing~.citty~{city, nothing}".split("~"),
  ...'select(.city == "city")~select(.note == "a note")~empty~.orders'.split("~"),
  ...".orders[] | .city~.orders[0].nothing~.refund~.root.item~.page~$x~$b".split("~"),
  ..."$b | length~$b[0]~foo~(~'.'~jq .~.a 'b'~\"\\x\"~{a: }~error".split("~"),
  ...'.note | test("a")~input_line_number~limit(3; inputs)~[.[] | .city]~'.split("~"),
  LONG,
  7,
  null,
  ["."],
);
const query = fc.oneof(
  filter,
  fc.constantFrom<unknown>(
    "SELECT * FROM output",
    "SELECT city FROM output",
    "SELECT count(*) AS n FROM output",
    "SELECT nothing FROM output",
    ..."SELECT citty FROM output~SELECT * FROM b~SELECT 1~SELECT * FROM orders".split("~"),
    ..."SELECT page FROM rest~SELECT FROM~DROP TABLE output".split("~"),
    "SELECT * FROM output WHERE city = 'city'",
    "SELECT * FROM read_csv('a.csv')",
    "SELECT sum(city) FROM output",
    "SELECT 1; SELECT 2",
    "SELECT * FROM output WHERE false",
  ),
);

/** Stands for the reference of the output that is asked. */
export const OWN = "<own>";
const others = fc.constantFrom<unknown>(
  { b: OWN },
  { b: OWN, c: OWN },
  { b: "no id" },
  { b: 7 },
  { b: [OWN] },
  { output: OWN },
  { x: OWN },
  { ENV: OWN },
  { "": OWN },
  { b: OWN, B: OWN },
  { "a name": OWN },
  {},
  "b",
  null,
  Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`b${n}`, OWN])),
  { b: "x".repeat(70_000) },
);
const variables = fc.constantFrom<unknown>(
  { x: 1 },
  { b: 1 },
  { a: 1 },
  {},
  '{"x": 1}',
  "x",
  7,
  null,
  { x: "x".repeat(70_000) },
);
const recipe = fc.oneof(fc.constantFrom<unknown>(1, 2, 3, 99, "x"), number);

/** Arguments that may stand beside what is asked for, shown by the tool or not. */
const more: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...Object.fromEntries(
    ["start", "end", "start_line", "end_line", "start_record", "end_record", "start_character"]
      .concat(["max_tokens", "before", "after", "max_results", "skip", "limit", "last"])
      .map((name) => [name, number]),
  ),
  ...Object.fromEntries(
    ["ignore_case", "case_sensitive", "literal", "invert", "only_matching", "count_only"]
      .concat(["slurp", "raw", "compact"])
      .map((name) => [name, flag]),
  ),
  with: others,
  args: variables,
  params: variables,
  start_lin: number,
  [LONG]: fc.constantFrom<unknown>(1, { x: LONG.repeat(4) }),
};

const reference = fc.oneof(
  { weight: 12, arbitrary: fc.constant<unknown>(OWN) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>("", `${OWN}x`, "no id", 7, [OWN], null) },
);

/** What a model may pass to any drill-in, by the drill-ins' own names. */
export const question: fc.Arbitrary<{
  readonly reference: unknown;
  readonly args: Readonly<Record<string, unknown>>;
}> = fc.record({
  reference,
  args: fc
    .tuple(
      fc.record({ pattern, filter, query, recipe }, { requiredKeys: ["pattern", "filter"] }),
      fc
        .subarray(Object.keys(more), { maxLength: 3 })
        .chain((names) =>
          fc.record(Object.fromEntries(names.map((name) => [name, more[name] ?? number]))),
        ),
    )
    .map(([asked, beside]) => ({ ...asked, ...beside })),
});
