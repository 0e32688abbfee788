import fc from "fast-check";

/** What a model sends: the tool by its place in the list, and the arguments. */
export interface Question {
  readonly tool: number;
  readonly args: (id: string) => Record<string, unknown>;
}

const long: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(
      "a",
      "(",
      "[",
      "\\",
      "[.",
      "{",
      "|",
      ".a",
      " ",
      "'",
      '"',
      "\u0000",
      "(a+)+",
      "-- ",
    ),
    fc.constantFrom(50, 2000, 20_000, 200_000),
  )
  .map(([unit, size]) => unit.repeat(Math.ceil(size / unit.length)));
const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  { weight: 1, arbitrary: long },
);
const filter: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ".",
    ".[]",
    "length",
    "keys",
    "map(.id)",
    "group_by(.state)",
    "select(.count > 1)",
    ".. | numbers",
    "skip(1; .[])",
    "limit(5; .[])",
    "repeat(.)",
    "[range(1e9)]",
    "input",
    "inputs",
    "halt_error(0)",
    "env",
    "$ENV",
    "input_filename",
    "get_search_list",
    'error("x")',
    "def f: f; f",
    ".a.b.c",
    "@base64",
    "ltrimstr(1)",
    '"\\u{110000}"',
    "..|..|..",
    "while(true; .)",
  ),
  text,
);
const pattern: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "a",
    "^",
    "$",
    "",
    ".*",
    "(a+)+$",
    "(?=x)",
    "\\1",
    "[a-",
    "ERROR|WARN",
    "\\p{L}+",
    "x{1000}",
    "\\x00",
    "(?i)A",
  ),
  text,
);
const query: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "SELECT count(*) FROM output",
    "SELECT * FROM output",
    "SELECT 1; SELECT 2",
    "DROP TABLE output",
    "FROM enable_logging(storage='file')",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM range(1000000000)",
    "COPY output TO 'x'",
    "SELECT * FROM output -- all",
    "PRAGMA database_list",
    "SELECT * FROM duckdb_settings()",
    "SELECT repeat('x', 100000000)",
    "INSTALL httpfs",
    "SELECT getenv('HOME')",
  ),
  text,
);
const number: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer({ min: -50, max: 3000 }),
  fc.constantFrom(0, -1, 1e308, Number.NaN, "12", "x", null, true, 2 ** 53, {}, []),
);

const asked: fc.Arbitrary<Record<string, unknown>> = fc.record(
  {
    start_line: number,
    end_line: number,
    start: number,
    end: number,
    start_record: number,
    end_record: number,
    pattern,
    filter,
    query,
    ignore_case: fc.boolean(),
    literal: fc.boolean(),
    before: number,
    after: number,
    max_results: number,
    count_only: fc.boolean(),
    invert: fc.boolean(),
    raw: fc.boolean(),
    compact: fc.boolean(),
    slurp: fc.boolean(),
    args: fc.oneof(fc.dictionary(text, text, { maxKeys: 3 }), text),
    recipe: fc.oneof(fc.integer({ min: -1, max: 12 }), text),
    params: fc.oneof(fc.dictionary(text, text, { maxKeys: 3 }), text),
  },
  { requiredKeys: [] },
);
const ids: fc.Arbitrary<(id: string) => unknown> = fc.oneof(
  { weight: 12, arbitrary: fc.constant((id: string) => id) },
  { weight: 1, arbitrary: text.map((other) => () => other) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<(id: string) => unknown>(
      () => 5,
      () => null,
      (id) => `../../${id}`,
      (id) => `${id}\u0000`,
      (id) => [id],
    ),
  },
);

export const questions: fc.Arbitrary<readonly Question[]> = fc.array(
  fc.tuple(fc.nat(40), ids, asked).map(([tool, idOf, args]) => ({
    tool,
    args: (id: string) => ({ ...args, id: idOf(id), file_path: idOf(id) }),
  })),
  { minLength: 1, maxLength: 5 },
);
