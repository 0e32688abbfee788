import { describe, expect, it } from "vitest";
import { fieldMap } from "../../../../../src/core/describe/forms/fields/field-map.js";
import { profileRecords } from "../../../../../src/core/profile/profile.js";
import type { Content } from "../../../../../src/core/types/content.js";
import { recordsContent, valuesContent } from "../../fixture.js";

const MUCH = { maxFields: 80, detail: "ranges" } as const;

async function fieldsOf(content: Content): Promise<unknown> {
  const profile = await profileRecords(content);
  return fieldMap(profile, { ...MUCH, rows: content.layout === "rows" });
}

async function valuesOf(content: Content): Promise<unknown> {
  return fieldMap(await profileRecords(content), { ...MUCH, detail: "values" });
}

const times = <Value>(length: number, make: (index: number) => Value): Value[] =>
  Array.from({ length }, (_, index) => make(index));

describe("the fields", () => {
  it.each([
    ["an integer beyond 2^53", ["9007199254740993", "1"], "integer"],
    [
      "an integer that is exact there",
      ["9007199254740992", "1"],
      "integer 1..9007199254740992, unique",
    ],
    ["an overflow", ["1e400", "1"], "number"],
    ["an underflow", ["1e-400", "1"], "number"],
    ["digits that a double has no room for", ["0.30000000000000000001", "1"], "number"],
    ["as many as there is room for", ["0.30000000000000004", "1"], "number 0.30000000000000004..1"],
    [
      "as many in another spelling",
      ["1.50e2", "1000000000000000000e-18"],
      "integer 1..150, unique",
    ],
  ])("say nothing false of %s", async (_, numbers, expected) => {
    const content = recordsContent(
      numbers.map((n) => `{"n":${n},"s":"9007199254740993 \\"1e400"}`),
    );
    expect(await fieldsOf(content)).toMatchObject({
      n: expected,
      s: 'text: "9007199254740993 \\"1e400"',
    });
  });
});

describe("the values", () => {
  it("of text that is something else say so", async () => {
    const content = valuesContent(
      times(60, (index) => ({
        price: `$${index}.95`,
        share: `${index}%`,
        people: index > 3 ? `${index},250` : "17",
        zip: `0${1000 + index}`,
        at: `2001-01-${String(1 + (index % 28)).padStart(2, "0")} 00:10`,
        body: "words ".repeat(60 + index),
      })),
    );
    expect(await fieldsOf(content)).toEqual({
      price: "text, unique",
      share: "text, unique",
      people: "text, 57 different",
      zip: "text, unique",
      at: "text date-time 2001-01-01 00:10..2001-01-28 00:10",
      body: "text to 714 characters",
    });
  });
});

describe("a sample", () => {
  it("is marked where it stands, and names no count of records", async () => {
    const records = times(40_000, (index) => ({
      kind: index % 4 ? "odd" : "even",
      size: index % 500,
      note: "n".repeat(40),
      ...(index % 10 === 0 && { late: true }),
    }));
    const fields = await valuesOf(valuesContent(records));
    expect(fields).toMatchObject({
      kind: expect.stringMatching(/^text: odd ×~7\d%, even ×~2\d%$/),
      size: expect.stringMatching(/^integer ~\d..~?4\d\d$/),
      late: expect.stringMatching(/^boolean: true ×~\d+%, ~(?:89|90|91)% lack it$/),
    });
  });
});
