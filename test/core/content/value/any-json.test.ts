import { runInNewContext } from "node:vm";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jsonOf } from "../../../../src/core/content/value/any-json.js";

const throwing = (message: string): never => {
  throw new Error(message);
};

class Point {
  readonly x = 1;
  readonly #hidden = 2;
  get sum(): number {
    return this.x + this.#hidden;
  }
}

const why = new Error("why");
const toldWhy = { name: "Error", message: "why" };

describe("the JSON of any value", () => {
  it("is that of JSON.stringify for whatever has JSON", () => {
    const value = fc.anything({ withDate: true, withSparseArray: true, withNullPrototype: true });
    fc.assert(
      fc.property(value, (given) => {
        expect(jsonOf(given)).toBe(JSON.stringify(given));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each<[string, unknown, unknown]>([
    ["a map with names", new Map([["a", 1]]), { a: 1 }],
    ["a map with a name of objects", new Map([["__proto__", 1]]), JSON.parse('{"__proto__":1}')],
    ["a map with other keys", new Map([[{ b: 2 }, "c"]]), [[{ b: 2 }, "c"]]],
    ["a set", new Set(["a", 1n]), ["a", "1"]],
    [
      "an error",
      Object.assign(new TypeError("no", { cause: why }), { code: "E" }),
      { name: "TypeError", message: "no", cause: toldWhy, code: "E" },
    ],
    [
      "errors in one",
      new AggregateError([why], "all"),
      { name: "AggregateError", message: "all", errors: [toldWhy] },
    ],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["no date", new Date(Number.NaN), null],
    ["a buffer", Buffer.from([0, 255]), { bytes: 2, base64: "AP8=" }],
    ["a view of bytes", new Uint8Array([1, 2, 3]).subarray(1), { bytes: 2, base64: "AgM=" }],
    ["an ArrayBuffer", new ArrayBuffer(1), { bytes: 1, base64: "AA==" }],
    ["numbers", new Float32Array([1, 0.5]), [1, 0.5]],
    ["big numbers", new BigInt64Array([1n]), ["1"]],
    ["an address", new URL("https://e.test/a"), "https://e.test/a"],
    ["an expression", /a"b/g, '/a"b/g'],
    ["a class", new Point(), { x: 1 }],
    ["boxed values", [new String("a"), Object(1n)], ["a", "1"]],
    ["a toJSON that gives a map", { toJSON: () => new Map([["a", 1]]) }, { a: 1 }],
  ])("tells %s, alone and inside", (_, value, expected) => {
    expect(JSON.parse(jsonOf(value) ?? "")).toEqual(expected);
    expect(JSON.parse(jsonOf({ in: [value, { value }] }) ?? "")).toEqual({
      in: [expected, { value: expected }],
    });
  });

  it("is nothing where a member throws, or of a value that is nested too deep", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    const getter = {
      get a() {
        return throwing("no");
      },
    };
    for (const value of [deep, getter, [new Proxy({}, { ownKeys: () => throwing("no") })]])
      expect(jsonOf(value)).toBeUndefined();
  });

  it("tells the data of another realm, and what only inherits from a special object", () => {
    const foreign: unknown = runInNewContext(
      "({ map: new Map([['a', 1n]]), list: [new Set([1])] })",
    );
    expect(jsonOf([foreign])).toBe('[{"map":{"a":"1"},"list":[[1]]}]');
    const bare = Object.assign(Object.create(null) as object, { in: new Map([["a", 1]]) });
    const heir: unknown = Object.assign(Object.create(bare) as object, { b: 2n });
    expect(jsonOf([bare, heir])).toBe('[{"in":{"a":1}},{"b":"2"}]');
  });

  it("is made once of what is shared", () => {
    let shared: unknown = new Set(["x"]);
    for (let level = 0; level < 18; level += 1) shared = [shared, shared];
    expect(jsonOf(shared)).toHaveLength(2 ** 18 * 5 + (2 ** 18 - 1) * 3);
  });

  it("tells what holds itself", () => {
    const value: Record<string, unknown> = { a: 1 };
    value["me"] = [value];
    const map = new Map<string, unknown>([["b", value]]);
    map.set("me", map);
    const shown = '{"a":1,"me":["[Circular]"]}';
    expect(jsonOf([value, map])).toBe(`[${shown},{"b":${shown},"me":"[Circular]"}]`);
  });
});
