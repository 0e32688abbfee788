import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identifyContent } from "../../../src/core/content/identify.js";
import { findRoles, readableFields } from "../../../src/core/profile/field-roles.js";
import { fieldMap } from "../../../src/core/describe/forms/fields/field-map.js";
import { profileRecords, type RecordProfile } from "../../../src/core/profile/profile.js";
import type { FieldProfile } from "../../../src/core/profile/shape.js";
import { recipesFor } from "../../../src/core/describe/recipes/recipes.js";
import { shellCommand } from "../../../src/core/describe/forms/shell-command.js";
import { fieldName } from "../../../src/core/profile/field-name.js";
import type { Content } from "../../../src/core/types/content.js";
import { temporaryDirectories } from "../store/temporary-directory.js";
import { hasSystemJq } from "./jq-runners.js";
import { answersOf, AROUND, at, leavesOf, recordSets, valuesOf } from "./true-of-the-data.js";

const makeDirectory = temporaryDirectories();

/** Compares each recipe's answers with what is worked out here. */
async function checkAll(content: Content): Promise<void> {
  const profile = await profileRecords(content);
  const recipes = recipesFor(content, profile, "full");
  const answers = await answersOf(recipes, content);
  for (const [index, recipe] of recipes.entries()) {
    check(recipe.description, answers[index] ?? [], { content, profile });
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function groupsOf(values: readonly unknown[], by: FieldProfile): Map<string, unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const value of values) {
    const key = JSON.stringify(at(value, by.path) ?? null);
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return groups;
}

/** What a recipe says that it does, done here. */
function check(
  description: string,
  answers: readonly unknown[],
  { content, profile }: { readonly content: Content; readonly profile: RecordProfile },
): void {
  const fields = readableFields(profile);
  const { category, quantity, date, id, list } = findRoles(fields, content.layout === "rows");
  const values = valuesOf(content);
  const numbersOf = (of: readonly unknown[]): number[] =>
    of.flatMap((value) => {
      const number: unknown = at(value, quantity?.path ?? []);
      if (content.layout !== "rows") return typeof number === "number" ? [number] : [];
      return number === "" || Number.isNaN(Number(number)) ? [] : [Number(number)];
    });
  const sum = (of: readonly number[]): number => of.reduce((all, one) => all + one, 0);
  const [first] = answers;
  if (description === "Browse key fields") {
    expect(answers).toHaveLength(values.length);
    for (const [index, answer] of answers.entries()) {
      for (const [name, value] of Object.entries(answer as object)) {
        const { path } = profile.fields.find((field) => field.name === name)!;
        expect(value).toEqual(at(values[index], path) ?? null);
      }
    }
  } else if (description.startsWith("Count by ") && category) {
    const groups = (first as Record<string, unknown>[]).map(({ count, ...rest }) => [
      JSON.stringify(Object.values(rest)[0] ?? null),
      count,
    ]);
    const expected = [...groupsOf(values, category)].map(([key, of]) => [key, of.length]);
    expect(Object.fromEntries(groups)).toEqual(Object.fromEntries(expected));
  } else if (description.startsWith("Sum ") && category) {
    for (const { sum: stated, ...rest } of first as Record<string, unknown>[]) {
      const of = groupsOf(values, category).get(JSON.stringify(Object.values(rest)[0] ?? null))!;
      if (numbersOf(of).length === 0) expect(stated).toBeNull();
      else expect(stated).toBeCloseTo(sum(numbersOf(of)), 6);
    }
  } else if (description.startsWith("Statistics of ") && quantity) {
    const numbers = numbersOf(values);
    expect(first).toMatchObject({ count: numbers.length, max: Math.max(...numbers) });
    expect((first as { sum: number }).sum).toBeCloseTo(sum(numbers), 6);
  } else if (description.startsWith("Latest ") && date) {
    const timesOf = (of: readonly unknown[]): number[] =>
      of.map((value) => Date.parse(textOf(at(value, date.path)))).map((one) => one || 0);
    const latest = timesOf(values).toSorted((one, other) => other - one);
    expect(timesOf(first as unknown[])).toEqual(latest.slice(0, 10));
  } else if (description.startsWith("Items of ") && list) {
    const items = values.flatMap((value) => at(value, list.path) ?? []);
    expect(answers).toHaveLength(items.length);
    if (id) for (const answer of answers) expect(Object.keys(answer as object)).toHaveLength(2);
  } else if (description === "Count all records") expect(first).toBe(values.length);
}

describe("what a descriptor states is true of the data", () => {
  it.each(Object.keys(AROUND))("of its fields, in %s (C10, C12)", async (around) => {
    await fc.assert(
      fc.asyncProperty(recordSets, fc.integer({ min: 1, max: 9 }), async (records, maxFields) => {
        const content = await identifyContent(AROUND[around]!(records));
        if (content.layout !== "records") return;
        const values = valuesOf(content);
        const profile = await profileRecords(content);
        expect(profile.recordCount).toBe(values.length);
        const stated = fieldMap(profile, { maxFields, detail: "ranges" });
        if (typeof stated !== "object" || stated === null) return;
        const { "…": more, ...shown } = stated as Record<string, string>;
        const hidden = leavesOf(values).size - Object.keys(shown).length;
        if (hidden === 0) expect(more).toBeUndefined();
        else expect(more).toMatch(new RegExp(`^${hidden} more fields`));
        for (const [name, text] of Object.entries(shown)) {
          const { path } = profile.fields.find((field) => fieldName(field.path) === name)!;
          const all = values.map((value) => at(value, path));
          const lacking = all.filter((value) => value === undefined).length;
          expect(/(\d+) lack it/.exec(text)?.[1]).toBe(lacking === 0 ? undefined : String(lacking));
          const there = all.filter((value) => value !== undefined && value !== null);
          if (text.startsWith("text date")) {
            const days = there.filter((value) => value !== "").map(textOf);
            for (const day of days) expect(Number.isNaN(Date.parse(day))).toBe(false);
            for (const day of days) expect(day).not.toMatch(/02-30|sync/);
            if (!text.includes("..") && / \d{4}-/.test(text)) expect(new Set(days).size).toBe(1);
          }
          const [, min, max] = /^(?:integer|number) (-?[\d.]+)\.\.(-?[\d.]+)/.exec(text) ?? [];
          if (min !== undefined && max !== undefined && !text.includes(" or text")) {
            const numbers = there.filter((value) => typeof value === "number");
            expect([Number(min), Number(max)]).toEqual([
              Math.min(...numbers),
              Math.max(...numbers),
            ]);
          }
          if (text.includes("unique")) expect(new Set(there).size).toBe(there.length);
          const [, different] = /(\d+) different/.exec(text) ?? [];
          // Texts without a character are told beside it.
          const filled = new Set(there.filter((value) => value !== ""));
          if (different !== undefined) expect(filled.size).toBe(Number(different));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("of its recipes, in tables", async () => {
    const cell = fc.constantFrom("1", "2.5", "", "north", "south", "-3");
    const table = fc.array(fc.tuple(cell, fc.constantFrom("a", "b"), fc.integer()), {
      minLength: 4,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(table, fc.constantFrom(",", "\t"), async (rows, delimiter) => {
        const lines = [["count", "state", "amount"], ...rows].map((row) => row.join(delimiter));
        const content = await identifyContent(lines.join("\n"));
        if (content.layout !== "rows") return;
        await checkAll(content);
      }),
      { numRuns: 12 },
    );
  });

  it.skipIf(!hasSystemJq)("of the recipes as shell commands", async () => {
    const directory = await makeDirectory();
    const path = join(directory, "it's a file.jsonl");
    await fc.assert(
      fc.asyncProperty(
        recordSets,
        fc.constantFrom(...Object.keys(AROUND)),
        async (records, around) => {
          const content = await identifyContent(AROUND[around]!(records));
          if (content.layout !== "records") return;
          writeFileSync(path, `{"type":"lro_header"}\n${Buffer.from(content.body).toString()}`);
          const recipes = recipesFor(content, await profileRecords(content), "full");
          const answers = await answersOf(recipes, content);
          for (const [index, recipe] of recipes.entries()) {
            const command = shellCommand(recipe, content, { filePath: path, headerBytes: 22 });
            const run = spawnSync("sh", ["-c", `${command} | jq -cS .`], { encoding: "utf8" });
            expect([recipe.description, run.stderr]).toEqual([recipe.description, ""]);
            expect(run.stdout.split("\n").filter((line) => line !== "")).toHaveLength(
              answers[index]?.length ?? -1,
            );
          }
        },
      ),
      { numRuns: 1 },
    );
  });
});
