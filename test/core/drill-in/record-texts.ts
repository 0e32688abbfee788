import * as fc from "fast-check";

/** Random texts of tables and of JSON in all the ways in which they are written. */

const plainCell = fc.constantFrom(
  ...'a~~1~-2.5~007~x y~é😀~in "quotes" here~5"~a\rb~ lead~back\\slash~\\n~|'.split("~"),
);
const quotedCell = fc
  .constantFrom("", "x", ",", "\t", 'say ""hi""', "two\nlines", "two\r\nlines", "\r", "1")
  .map((text) => `"${text}"`);
const loneQuote = fc.constantFrom('"open', '"', '"a" b', '"Weird" Al');
const name = fc.constantFrom(
  ...'name~size 5" wide~"quoted"~"two\nlines"~Ünïcode~a.b~__proto__'.split("~"),
  ..."constructor NAME column_1 record".split(" "),
);

/** A table whose rows have a numeral in the first cell, which says that the first row is a header. */
export const tableText: fc.Arbitrary<string> = fc
  .record({
    delimiter: fc.constantFrom(",", "\t"),
    end: fc.constantFrom("\n", "\r\n"),
    mark: fc.constantFrom("", "\uFEFF"),
    first: fc.constantFrom("id", "", '"id"', "#"),
    names: fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
    lone: fc.boolean(),
    blank: fc.constantFrom("", "\n", "\r\n", "\n\n", "\n\r\n\n", "\r"),
    count: fc.integer({ min: 2, max: 8 }),
  })
  .chain((form) => {
    const { delimiter, end, mark, first, names, lone, blank, count } = form;
    const cell = (
      lone && delimiter === "\t" ? fc.oneof(plainCell, loneQuote) : fc.oneof(plainCell, quotedCell)
    ).map((text) => (text.startsWith('"') ? text : text.replaceAll(delimiter, " ")));
    const row = fc.array(cell, { minLength: names.length, maxLength: names.length });
    return fc
      .array(row, { minLength: count, maxLength: count })
      .map((rows) =>
        [[first, ...names], ...rows.map((cells, id) => [String(id), ...cells])]
          .map((cells) => cells.join(delimiter))
          .join(end),
      )
      .map((text) => mark + text + blank);
  });

const key = fc.constantFrom(
  ...'"a"~"b"~"\\u0061"~""~"__proto__"~"constructor"~"a b"~"é"'.split("~"),
  '"q\\"}:{"',
  '"toString"',
);
const scalar = fc.constantFrom(
  ...'1 0.5 -3 1e2 true null "x" "" "a:b,{}[]\\\\\\"\\n" "2024-01-15"'.split(" "),
  ...'"\\ud83d\\ude00" "\\ud800" "12"'.split(" "),
);

function objectOf(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const member = fc.tuple(key, value);
  const once = {
    maxLength: 5,
    selector: ([name]: readonly string[]) => String(JSON.parse(name ?? "")),
  };
  return fc
    .oneof(
      { weight: 40, arbitrary: fc.uniqueArray(member, once) },
      { weight: 1, arbitrary: fc.array(member, { maxLength: 5 }) },
    )
    .map((members) => `{${members.map(([name, text]) => `${name}: ${text}`).join(", ")}}`);
}

const nested = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    scalar,
    objectOf(tie("value")),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(" ,")}]`),
  ),
})).value;

/** A record with keys that now and then repeat, keys that no member was given, and keys that are written in two ways. */
const record = objectOf(nested);
const records = fc.array(record, { minLength: 3, maxLength: 8 });

/** A document with records in it: an array, an array in an object, or a map. */
export const jsonText: fc.Arbitrary<string> = fc
  .tuple(
    records,
    fc.constantFrom("array", "mixed", "object", "deep", "map", "string"),
    fc.constantFrom("", "\n", "\r\n  "),
    fc.constantFrom("", "\uFEFF", "\n\n"),
  )
  .map(([items, form, gap, start]) => {
    const list = `[${gap}${items.join(`,${gap}`)}${gap}]`;
    if (form === "array") return start + list;
    if (form === "mixed") return `${start}[${items.join(",")},1,"x",null]`;
    if (form === "object") return `${start}{"next":null,${gap}"rows":${list}}`;
    if (form === "deep") return `${start}{"a b":{"__proto__":{"items":${list}}},"n":1}`;
    if (form === "string") return JSON.stringify(list);
    const members = items.map((item, index) => `"k${index}":{"a":1,"b":${item}}`);
    return `${start}{${members.join(`,${gap}`)}}`;
  });

/** Objects and arrays one after the other, on a line each or not. */
export const jsonLinesText: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.oneof({ arbitrary: record, weight: 4 }, fc.constant("[1, 2]")), {
      minLength: 2,
      maxLength: 8,
    }),
    fc.constantFrom("\n", "\r\n", "\n\n", "\n \n"),
    fc.constantFrom("", "\n", "\r\n", "\n\n"),
    fc.constantFrom("", "\uFEFF", "\n"),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([items, end, last, start, isPretty, isString]) => {
    const lines = items.map((item) => (isPretty ? item.replaceAll(/^\{/g, "{\n ") : item));
    const text = start + lines.join(end) + last;
    return isString ? JSON.stringify(text) : text;
  });
