import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { dataParameters, takenAs } from "../../../src/plugins/references/data-parameters.js";

/** Names of the parameters that take data, the likeliest first. */
function namesOf(properties: unknown, more: object = {}): string[] {
  const found = dataParameters({ type: "object", properties, ...more });
  return found.toSorted((one, other) => one.rank - other.rank).map(({ name }) => name);
}

const records = { type: "array", items: { type: "object" } };

describe("the parameters of a tool that take data", () => {
  it("are lists, objects of any keys, long texts, and what takes anything, likeliest first", () => {
    const properties = {
      ids: { type: "array", items: { type: "integer" } },
      fields: { type: "object", additionalProperties: {} },
      HTMLBody: { type: "string" },
      query: { type: "string" },
      limit: { type: "integer" },
      rows: records,
      table: { type: "array", items: { type: "array", items: {} } },
      anything: { description: "What you like." },
    };
    expect(namesOf(properties)).toEqual(["rows", "table", "anything", "HTMLBody", "fields", "ids"]);
  });

  it("are none that the schema lists or limits to little", () => {
    const properties = {
      kind: { enum: ["a", "b"] },
      kinds: { type: "array", items: { anyOf: [{ enum: ["a"] }, { type: "null" }] } },
      flags: { type: "array", items: { type: ["boolean", "null"] } },
      few: { ...records, maxItems: 19 },
      pair: { type: "array", prefixItems: [{ type: "number" }, { type: "number" }] },
      options: { type: "object", properties: { depth: { type: "integer" } } },
      message: { type: "string", maxLength: 280 },
      data: { type: "string", format: "uri" },
      text: { const: "x" },
    };
    expect(namesOf(properties)).toEqual([]);
    expect(namesOf({ many: { ...records, maxItems: 20 } })).toEqual(["many"]);
  });

  it("are texts by the last word of their name, or by how long they may be", () => {
    const text = { type: "string" };
    const take = "content body text data csv html code message emailBody page_content rawHTML BODY";
    for (const name of take.split(" ")) expect(namesOf({ [name]: text })).toEqual([name]);
    const others = "message_id contentType textColor query context subject _".split(" ");
    expect(namesOf(Object.fromEntries(["", ...others].map((name) => [name, text])))).toEqual([]);
    expect(namesOf({ note: { ...text, maxLength: 10_000 } })).toEqual(["note"]);
    expect(namesOf({ note: { ...text, maxLength: 9_999 } })).toEqual([]);
  });

  it("are found where they may be null, and where the schema refers to a part of its own", () => {
    const [named, loop] = [{ $ref: "#/$defs/rows" }, { $ref: "#/$defs/loop" }];
    const $defs = { rows: records, named, loop };
    const properties = {
      a: { anyOf: [records, { type: "null" }] },
      b: { type: ["array", "null"], items: {} },
      c: { $ref: "#/$defs/rows" },
      d: { oneOf: [{ type: "null" }, { $ref: "#/$defs/named" }] },
      e: { $ref: "#/$defs/loop" },
      f: { $ref: "https://example.com/schema" },
    };
    expect(namesOf(properties, { $defs })).toEqual(["a", "b", "c", "d"]);
  });

  it("are looked for in any schema without a throw", () => {
    const property = fc.property(fc.jsonValue(), fc.jsonValue(), (own, root) => {
      const found = dataParameters({ properties: { data: own, other: root }, $defs: root });
      expect(found.length).toBeLessThanOrEqual(2);
      for (const schema of [own, root]) expect(Array.isArray(dataParameters(schema))).toBe(true);
    });
    fc.assert(property);
  });
});

it("what data are taken as is a list or a text where nothing else is taken, also where it may be null", () => {
  const properties = {
    list: records,
    maybe: { anyOf: [records, { type: "null" }] },
    text: { type: ["string", "null"] },
    both: { anyOf: [{ type: "string" }, { type: "object" }] },
    any: {},
    either: { anyOf: [{ type: "string" }, records] },
  };
  const as = Object.keys(properties).map((name) => takenAs({ properties }, name, false));
  expect(as).toEqual(["list", "list", "text", undefined, undefined, "text"]);
  expect(takenAs({ properties }, "either", true)).toBe("list");
  expect(takenAs({ properties }, "none", false)).toBeUndefined();
});
