import fc from "fast-check";

import { HOSTILE_VALUES } from "../test/hostile-values.js";

/** An output of a tool, and what is known of it because it was made that way. */
export interface MadeOutput {
  readonly kind: string;
  /** Made anew for each use, since a stream can be read once. */
  readonly make: () => unknown;
  /** The text, where every byte of it has to be in the store. */
  readonly text?: string;
  /** The records, where each has to be in the store, in this order. */
  readonly records?: readonly unknown[];
}

const odd: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    "",
    "__proto__",
    "constructor",
    "a.b",
    "$x",
    "\u001b[31m",
    "\u202e",
    "${x}",
    "$&",
    "`id`",
    "a\nb",
    '"',
    "\ud800",
  ),
  fc.string({ unit: "grapheme", maxLength: 200 }),
);
const scalar: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  odd,
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);
const key: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "id",
      "name",
      "state",
      "count",
      "sum",
      "by",
      "created_at",
      "url",
      "a.b",
      "",
    ),
  },
  { weight: 1, arbitrary: odd },
);
const flat: fc.Arbitrary<Record<string, unknown>> = fc.dictionary(key, scalar, { maxKeys: 12 });
const entry: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: flat },
  {
    weight: 1,
    arbitrary: fc.dictionary(key, fc.oneof(scalar, flat, fc.array(scalar, { maxLength: 5 })), {
      maxKeys: 6,
    }),
  },
  { weight: 1, arbitrary: scalar },
);
/** A few shapes repeated many times, as services answer. */
const entries: fc.Arbitrary<readonly unknown[]> = fc
  .tuple(fc.array(entry, { minLength: 1, maxLength: 8 }), fc.nat(1500))
  .map(([shapes, count]) => Array.from({ length: count }, (_, at) => shapes[at % shapes.length]));
const around: fc.Arbitrary<Record<string, unknown>> = fc.dictionary(
  fc.constantFrom("status", "next_cursor", "total", "error", "has_more", "meta", "links"),
  fc.oneof(scalar, flat),
  { maxKeys: 4 },
);

const isPlain = (value: unknown): boolean => typeof value === "object" && value !== null;

const recordSets: fc.Arbitrary<MadeOutput> = entries.chain((records) =>
  fc.constantFrom("value", "text", "lines").map((as): MadeOutput => {
    const text =
      as === "lines"
        ? records.map((one) => JSON.stringify(one)).join("\n")
        : JSON.stringify(records);
    const value = as === "value" ? records : text;
    const known = records.length > 1 && records.every(isPlain);
    return { kind: `records as ${as}`, make: () => value, ...(known && { records }) };
  }),
);
const wrapped: fc.Arbitrary<MadeOutput> = fc
  .tuple(around, entries, fc.option(entries, { nil: undefined }))
  .map(([beside, one, other]) => {
    const value = { ...beside, items: one, ...(other && { others: other }) };
    return { kind: "records in an object", make: () => value };
  });
const tables: fc.Arbitrary<MadeOutput> = fc
  .tuple(
    fc.constantFrom(",", "\t"),
    fc.constantFrom("\n", "\r\n"),
    fc.array(
      fc.array(fc.oneof(odd, fc.integer().map(String), fc.constantFrom('5"', '"a""b"', "x y")), {
        minLength: 2,
        maxLength: 6,
      }),
      { minLength: 2, maxLength: 20 },
    ),
    fc.nat(400),
    fc.boolean(),
  )
  .map(([separator, end, rows, count, hasMark]) => {
    const lines = Array.from({ length: count + 2 }, (_, at) =>
      (rows[at % rows.length] ?? []).join(separator),
    );
    const text = `${hasMark ? "\ufeff" : ""}${lines.join(end)}`;
    return { kind: "table", make: () => text, text };
  });
const texts: fc.Arbitrary<MadeOutput> = fc
  .tuple(
    fc.array(
      fc.oneof(
        odd,
        fc.lorem({ maxCount: 30 }),
        fc.constantFrom(
          "# Title",
          "```",
          "2024-01-02T03:04:05Z ERROR x=1",
          "    at f (a.js:1:2)",
          "<a><b/></a>",
        ),
      ),
      { minLength: 1, maxLength: 30 },
    ),
    fc.integer({ min: 1, max: 2000 }),
    fc.constantFrom("\n", "\r\n", " ", ""),
  )
  .map(([lines, count, end]) => {
    const text = Array.from({ length: count }, (_, at) => lines[at % lines.length]).join(end);
    return { kind: "text", make: () => text, text };
  });
const monotone: fc.Arbitrary<MadeOutput> = fc
  .tuple(
    fc.constantFrom("a", " ", "\n", "[", '{"a":', "漢", "😀", "\\", '"', ",", "#", "-"),
    fc.integer({ min: 1, max: 300_000 }),
  )
  .map(([unit, count]) => {
    const text = unit.repeat(Math.ceil(count / unit.length));
    return { kind: `only ${JSON.stringify(unit)}`, make: () => text };
  });
const block: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({
    type: fc.constant("text"),
    text: fc.oneof(odd, fc.lorem({ maxCount: 2000, mode: "words" })),
  }),
  fc.record({
    type: fc.constantFrom(
      "image",
      "image_url",
      "audio",
      "file",
      "video",
      "resource",
      "search_result",
      "unknown",
    ),
    data: odd,
    url: odd,
    title: odd,
  }),
  fc.constantFrom(null, "a bare text", 7, {}, [], { type: null }, { text: "no type" }),
);
const blockLists: fc.Arbitrary<MadeOutput> = fc
  .tuple(fc.array(block, { minLength: 1, maxLength: 8 }), fc.nat(40))
  .map(([blocks, copies]) => {
    const value = Array.from({ length: copies + 1 }, () => blocks).flat();
    return { kind: "content blocks", make: () => value };
  });

/** Values that JSON has no word for, and those whose members throw. */
const strange: fc.Arbitrary<MadeOutput> = fc
  .constantFrom<readonly [string, () => unknown]>(
    ["a Map", () => new Map(Array.from({ length: 3000 }, (_, at) => [`k${at}`, { at }]))],
    ["a Set", () => new Set(Array.from({ length: 9000 }, (_, at) => at))],
    ["an Error", () => new Error("x".repeat(20_000))],
    ["a Date", () => new Date(0)],
    ["an invalid Date", () => new Date(Number.NaN)],
    ["a Buffer", () => Buffer.from(Array.from({ length: 20_000 }, (_, at) => at % 256))],
    ["typed numbers", () => new Float64Array(5000).fill(0.1)],
    ["an ArrayBuffer", () => new ArrayBuffer(20_000)],
    [
      "a BigInt",
      () => ({ big: 2n ** 70n, list: Array.from({ length: 3000 }, (_, at) => BigInt(at)) }),
    ],
    ["a circle", () => circle()],
    ...HOSTILE_VALUES,
  )
  .map(([kind, make]) => ({ kind, make }));

function circle(): unknown {
  const value: Record<string, unknown> = {
    list: Array.from({ length: 3000 }, (_, at) => ({ at })),
  };
  value["self"] = value;
  return value;
}

const streams: fc.Arbitrary<MadeOutput> = fc
  .tuple(
    fc.oneof(recordSets, tables, texts, monotone),
    fc.integer({ min: 1, max: 60_000 }),
    fc.boolean(),
  )
  .map(([output, size, isBytes]) => {
    const value = output.make();
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const bytes = Buffer.from(text, "utf8");
    return {
      kind: `a stream of ${output.kind}`,
      make: async function* () {
        const { length } = isBytes ? bytes : text;
        for (let at = 0; at < length; at += size) {
          yield isBytes ? bytes.subarray(at, at + size) : text.slice(at, at + size);
        }
      },
    };
  })
  .map(({ kind, make }) => ({ kind, make: () => make() }));

/** All that tools return, and some of what they should not. */
export const outputs: fc.Arbitrary<MadeOutput> = fc.oneof(
  { weight: 5, arbitrary: recordSets },
  { weight: 4, arbitrary: wrapped },
  { weight: 3, arbitrary: tables },
  { weight: 3, arbitrary: texts },
  { weight: 2, arbitrary: monotone },
  { weight: 3, arbitrary: blockLists },
  { weight: 2, arbitrary: strange },
  { weight: 3, arbitrary: streams },
);
