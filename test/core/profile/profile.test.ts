import { describe, expect, it, vi } from "vitest";
import { isMemorySet } from "../../../src/core/describe/recipes/memory.js";
import { profileRecords } from "../../../src/core/profile/profile.js";
import type { Content } from "../../../src/core/types/content.js";
import { rowsContent, valuesContent } from "../describe/fixture.js";
import { memories } from "../describe/samples.js";
import { countTurns } from "../../count-turns.js";

const large = (count: number, at: (index: number) => string): Content => ({
  ...valuesContent([]),
  body: new Uint8Array(9_000_000),
  records: { count, path: [], envelope: undefined, at },
});

describe("the profile", () => {
  it("names nested fields by dotted paths, commonest first", async () => {
    const content = valuesContent([{ b: 1 }, { a: { c: "x" }, b: 2 }]);
    const { fields, complete } = await profileRecords(content);
    expect(fields.map(({ name, count }) => `${name} ${count}`)).toEqual(["b 2", "a 1", "a.c 1"]);
    expect(complete).toBe(true);
  });

  it("looks at 1,000 records spread evenly and says that it is not complete", async () => {
    const seen: number[] = [];
    const profile = await profileRecords(
      large(1_000_000, (index) => {
        seen.push(index);
        return `{"a":${index}}`;
      }),
    );
    expect(profile).toMatchObject({ sampledCount: 1_000, recordCount: 1_000_000, complete: false });
    const sampled = seen.slice(-1_000);
    expect(sampled.map((index) => Math.floor(index / 1_000))).toEqual([...sampled.keys()]);
    expect(new Set(sampled.map((index) => index % 2)).size).toBe(2);
  });

  it("bounds fields, depth and names", async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 1]));
    const deep = JSON.parse(`${'{"d":'.repeat(20)}1${"}".repeat(20)}`);
    const profile = await profileRecords(valuesContent([deep, { ["n".repeat(200)]: 1 }, many]));
    expect(profile.fields).toHaveLength(2_000);
    expect(profile.lacksFields).toBe(true);
    expect(Math.max(...profile.fields.map(({ path }) => path.length))).toBe(12);
    expect(profile.fields.some(({ name }) => name.length > 128)).toBe(false);
  });

  it("holds 200,000 values of a wide table in all, and its decimals stay numbers", async () => {
    const columns = Array.from({ length: 300 }, (_, column) => column);
    const rows = Array.from({ length: 800 }, (_, row) =>
      columns.map((column) => ((row * 977 + column) % 9_973) / 8).join(","),
    );
    const content = rowsContent([columns.map((column) => `c${column}`), ...rows].join("\n"));
    const { fields } = await profileRecords(content);
    const held = fields.map(({ counts }) => counts.size);
    expect(held.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(200_000);
    expect(fields.every(({ numbersInText }) => numbersInText)).toBe(true);
  });

  it("lets others run whenever some time has passed, however few characters it has read", async () => {
    let time = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (time += 10));
    const counted = countTurns();
    await profileRecords(large(2_000, (id) => `{"id":${id}}`));
    counted.stop();
    vi.restoreAllMocks();
    expect(counted.turns()).toBeGreaterThan(500);
  });
});

describe("memories", () => {
  it.each(["light", "medium", "full"] as const)(
    "are recognized at level %s, with fields missing and null",
    async (detail) => {
      expect(isMemorySet(await profileRecords(valuesContent(memories(60, detail))))).toBe(true);
    },
  );
});
