import { describe, expect, it } from "vitest";
import { CSV_FORMAT, splitRow } from "../../../src/content/table/delimited-row.js";
import { detailOf, isMemorySet } from "../../../src/describe/recipes/memory.js";
import { profileRecords } from "../../../src/describe/profile/profile.js";
import { recordsContent, rowsContent, textContent, valuesContent } from "../fixture.js";
import { issues, memories } from "../samples.js";

describe("the profile", () => {
  it("names nested fields by dotted paths, commonest first", async () => {
    const { fields, complete } = await profileRecords(
      valuesContent([{ b: 1 }, { a: { c: "x" }, b: 2 }]),
    );
    expect(fields.map(({ name, count }) => [name, count])).toEqual([
      ["b", 2],
      ["a", 1],
      ["a.c", 1],
    ]);
    expect(complete).toBe(true);
  });

  it("counts types and few values", async () => {
    const { fields } = await profileRecords(
      valuesContent([{ s: "x" }, { s: "y" }, { s: "x" }, { s: null }]),
    );
    expect(fields[0]).toMatchObject({
      types: ["string", "null"],
      values: [
        { value: "x", count: 2 },
        { value: "y", count: 1 },
      ],
    });
  });

  it("looks at 1,000 records spread evenly and says that it is not complete", async () => {
    const seen: number[] = [];
    const content = valuesContent([]);
    const at = (index: number): string => {
      seen.push(index);
      return `{"a":${index}}`;
    };
    const profile = await profileRecords({
      ...content,
      body: new Uint8Array(9_000_000),
      records: { count: 1_000_000, path: [], envelope: undefined, at },
    });
    expect(profile).toMatchObject({ sampledCount: 1_000, recordCount: 1_000_000, complete: false });
    expect(seen.map((index) => Math.floor(index / 1_000))).toEqual(Array.from(seen.keys()));
    expect(new Set(seen.map((index) => index % 2)).size).toBe(2);
  });

  it("looks at all records of 2 MiB", async () => {
    const records = Array.from({ length: 9_000 }, (_, index) => ({ at: index, kind: index % 3 }));
    const profile = await profileRecords(valuesContent(records));
    expect(profile).toMatchObject({ sampledCount: 9_000, complete: true });
    expect(profile.fields[0]).toMatchObject({
      unique: true,
      numberRange: { min: "0", max: "8999" },
    });
    expect(profile.fields[1]!.values!.map(({ count }) => count)).toEqual([3_000, 3_000, 3_000]);
  });

  it("bounds fields, depth and names", async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 1]));
    const deep = JSON.parse(`${'{"d":'.repeat(20)}1${"}".repeat(20)}`);
    const profile = await profileRecords(valuesContent([deep, { ["n".repeat(200)]: 1 }, many]));
    expect(profile.fields).toHaveLength(1_008);
    expect(profile.omittedFields).toBe(1);
    expect(profile.omitsMore).toBe(true);
    expect(Math.max(...profile.fields.map(({ path }) => path.length))).toBe(8);
    expect(profile.fields.some(({ name }) => name.length > 128)).toBe(false);
  });

  it("gives the event loop a turn while it works", async () => {
    const content = valuesContent(
      Array.from({ length: 2_000 }, (_, index) => ({
        index,
        list: Array.from({ length: 50 }, (__, item) => ({ item, text: `${item}` })),
      })),
    );
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await profileRecords(content);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });

  it("leaves out what is no JSON or over 512 KiB, and nothing at all is empty", async () => {
    const profile = await profileRecords(
      recordsContent(["{broken", JSON.stringify("x".repeat(524_288)), '{"a":1}']),
    );
    expect(profile).toMatchObject({ sampledCount: 1, recordCount: 3, complete: false });
    expect(await profileRecords(textContent("no records"))).toMatchObject({
      recordCount: 0,
      fields: [],
    });
  });

  it("reads columns of a table, quoted ones too", async () => {
    const { fields } = await profileRecords(
      rowsContent('id,"full, name",note\r\n1,"Ann ""A""",x\r\n2,Bob,\r'),
    );
    expect(fields.map(({ name }) => name)).toEqual(["id", "full, name", "note"]);
    expect(fields[0]).toMatchObject({ numeric: true, values: [{ value: "1" }, { value: "2" }] });
    expect(fields[1]!.values!.map(({ value }) => value)).toEqual(['Ann "A"', "Bob"]);
    expect(splitRow('a,"b""c,",', CSV_FORMAT)).toEqual(["a", 'b"c,', ""]);
  });
});

describe("memories", () => {
  it.each(["light", "medium", "full"] as const)(
    "are recognized at level %s, with fields missing and null",
    async (detail) => {
      expect(isMemorySet(await profileRecords(valuesContent(memories(60, detail))))).toBe(true);
    },
  );

  it.each([
    ["issues", issues(20)],
    ["records whose namespace is an object", [{ id: "1", title: "t", namespace: { id: 1 } }]],
    ["records with a number for an id", [{ id: 1, title: "t", namespace: "n" }]],
    ["a mixture with other values", [{ id: "1", title: "t", namespace: "n" }, 7]],
    ["nothing", []],
  ])("are not %s", async (_, values) => {
    expect(isMemorySet(await profileRecords(valuesContent(values)))).toBe(false);
  });

  it("have the level of the call, else that of the operation, else what their fields show", async () => {
    const profile = await profileRecords(valuesContent(memories(20, "full")));
    const detail = (operation: string, args?: Record<string, unknown>): string =>
      detailOf({ operation, args, profile });
    expect(detail("recall", { detail: "medium" })).toBe("medium");
    expect(detail("recall", { detail: "all" })).toBe("light");
    expect(["recall", "inject", "list", "search"].map((name) => detail(name))).toEqual([
      "light",
      "medium",
      "light",
      "light",
    ]);
    expect(detail("export")).toBe("full");
    const light = await profileRecords(valuesContent(memories(20, "light")));
    expect(detailOf({ operation: "toString", profile: light })).toBe("light");
    const others = await profileRecords(valuesContent(issues(20)));
    expect(detailOf({ operation: "recall", args: { detail: "light" }, profile: others })).toBe(
      "full",
    );
  });
});

describe("fields whose names are equal once they are joined", () => {
  it("stay two, the second with its keys in quotes", async () => {
    const records = Array.from({ length: 50 }, (_, id) => ({ "a.b": `text${id}`, a: { b: id } }));
    const { fields } = await profileRecords(valuesContent(records));
    const named = fields.map(({ name, types }) => [name, types]);
    expect(named).toContainEqual(["a.b", ["string"]]);
    expect(named).toContainEqual(['"a"."b"', ["integer"]]);
  });
});
