import * as fc from "fast-check";

/** JSON as its tokens, written by no serializer: numbers, escapes and repeated keys as they are. */
export type Tokens = readonly string[];

const hex = fc.integer({ min: 0, max: 0xffff }).map((code) => code.toString(16).padStart(4, "0"));
const stringPart = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }).map((text) => JSON.stringify(text).slice(1, -1)),
  fc.constantFrom("\\/", '\\"', "\\\\", "\\n", "\\u0000", "é", "漢", "😀", "\u2028", "\u007f"),
  hex.map((digits) => `\\u${digits}`),
);
/** A string with its quotes. */
export const stringToken: fc.Arbitrary<string> = fc
  .array(stringPart, { maxLength: 4 })
  .map((parts) => `"${parts.join("")}"`);

const scalarToken = fc.oneof(
  stringToken,
  fc.constantFrom("true", "false", "null", "-0", "0", "1e400", "-1E-7", "0.1e+05", "1.50"),
  fc.bigInt().map(String),
);

const keyToken = fc.oneof(stringToken, fc.constantFrom('"a"', '"__proto__"', '"id"', '""'));

/** Any JSON value. */
export const jsonTokens: fc.Arbitrary<Tokens> = fc.letrec<{ value: Tokens }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalarToken.map((token) => [token]),
    fc.array(tie("value"), { maxLength: 5 }).map((items) => arrayOf(items)),
    fc.array(fc.tuple(keyToken, tie("value")), { maxLength: 5 }).map((items) => objectOf(items)),
  ),
})).value;

/** An array of the items. */
export function arrayOf(items: readonly Tokens[]): Tokens {
  return ["[", ...items.flatMap((item, at) => (at === 0 ? item : [",", ...item])), "]"];
}

/** An object of the members, in order, repeated keys included. */
export function objectOf(members: readonly (readonly [string, Tokens])[]): Tokens {
  const parts = members.flatMap(([key, value], at) => [
    ...(at === 0 ? [] : [","]),
    key,
    ":",
    ...value,
  ]);
  return ["{", ...parts, "}"];
}

/** White space between tokens, a different amount each time. */
export const spacing: fc.Arbitrary<(tokens: Tokens) => string> = fc
  .array(fc.constantFrom("", "", " ", "\n", "\r\n", "\t", "  \n  "), { minLength: 1, maxLength: 9 })
  .map((spaces) => (tokens: Tokens) => {
    const spaced = tokens.map((token, at) => `${spaces[at % spaces.length] ?? ""}${token}`);
    return spaced.join("") + (spaces[0] ?? "");
  });
