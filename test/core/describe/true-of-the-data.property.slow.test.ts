import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { identifyContent } from "../../../src/core/content/identify.js";
import { shellCommand } from "../../../src/core/describe/forms/record-forms.js";
import { recipesFor } from "../../../src/core/describe/recipes/recipes.js";
import { type ContentProfile, profileContent } from "../../../src/core/profile/profile-document.js";
import type { Content } from "../../../src/core/types/content.js";
import { check } from "../../truth/check.js";
import { describeAll } from "../../truth/describe-output.js";
import { temporaryDirectories } from "../store/temporary-directory.js";
import { hasSystemJq } from "./jq-runners.js";
import { answersOf, AROUND, at, recordSets, valuesOf } from "./true-of-the-data.js";

const makeDirectory = temporaryDirectories();

/** Compares each recipe's answer with what is worked out here. */
async function checkAll(content: Content): Promise<number> {
  const profile = await profileContent(content);
  const recipes = recipesFor(content, profile, "full");
  const answers = await answersOf(recipes, content);
  const values = valuesOf(content);
  for (const [index, { description }] of recipes.entries())
    checkOne(description, answers[index]?.[0], values, profile);
  return recipes.length;
}

function checkOne(
  description: string,
  answer: unknown,
  values: readonly unknown[],
  { fields }: ContentProfile,
): void {
  const pathOf = (name: string): readonly string[] =>
    fields.find((field) => field.name === name)?.path ?? [];
  const valueOf = (name: string) => (value: unknown) => at(value, pathOf(name)) ?? null;
  const [, by = ""] = /^Count by (.+)$/.exec(description) ?? [];
  if (by !== "") {
    const groups = groupsOf(values, valueOf(by));
    const told = answer as Record<string, unknown>[];
    expect(told).toHaveLength(groups.size);
    for (const { count, ...rest } of told) {
      const own = groups.get(JSON.stringify(Object.values(rest)[0] ?? null)) ?? [];
      expect(count).toBe(own.length);
    }
    return;
  }
  const [, name = ""] = /^Latest \$limit by (.+)$/.exec(description) ?? [];
  expect(name).not.toBe("");
  const datesOf = (all: readonly unknown[]): string[] =>
    all.map(valueOf(name)).map((date) => (date === null ? "" : JSON.stringify(date)));
  const latest = datesOf(values).toSorted().toReversed();
  expect(datesOf(answer as unknown[])).toEqual(latest.slice(0, 10));
}

function groupsOf(
  values: readonly unknown[],
  by: (value: unknown) => unknown,
): Map<string, unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const value of values) {
    const key = JSON.stringify(by(value));
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return groups;
}

describe("what a descriptor states is true of the data", () => {
  it.each(Object.keys(AROUND))("of its fields, in %s (C10, C12)", async (around) => {
    let claims = 0;
    await fc.assert(
      fc.asyncProperty(recordSets, async (records) => {
        const output = { name: "made", text: AROUND[around]!(records) };
        for (const described of (await describeAll([output], "default")).values()) {
          const found = check(output, described);
          claims += found.claims;
          expect([found.wrong, found.notUnderstood]).toEqual([[], []]);
        }
      }),
      { numRuns: 60 },
    );
    expect(claims).toBeGreaterThan(300);
  });

  it("of its recipes, in records and in tables", async () => {
    const cell = fc.constantFrom("1", "2.5", "", "3", "-3");
    const table = fc.array(fc.tuple(cell, fc.constantFrom("a", "b"), fc.integer()), {
      minLength: 4,
      maxLength: 30,
    });
    const texts = fc.oneof(
      fc
        .tuple(table, fc.constantFrom(",", "\t"))
        .map(([rows, delimiter]) =>
          [["count", "state", "amount"], ...rows].map((row) => row.join(delimiter)).join("\n"),
        ),
      fc
        .tuple(recordSets, fc.constantFrom(...Object.keys(AROUND)))
        .map(([records, around]) => AROUND[around]!(records)),
    );
    let recipes = 0;
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const content = await identifyContent(text);
        if (content.records !== undefined) recipes += await checkAll(content);
      }),
      { numRuns: 40 },
    );
    expect(recipes).toBeGreaterThan(20);
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
          const recipes = recipesFor(content, await profileContent(content), "full");
          const answers = await answersOf(recipes, content);
          for (const [index, recipe] of recipes.entries()) {
            const command = shellCommand(recipe, { filePath: path, headerBytes: 22 });
            const run = spawnSync("sh", ["-c", `${command} | jq -cS .`], { encoding: "utf8" });
            expect([recipe.description, run.stderr]).toEqual([recipe.description, ""]);
            expect(run.stdout.split("\n").filter((line) => line !== "")).toHaveLength(
              answers[index]?.length ?? -1,
            );
          }
        },
      ),
      { numRuns: 3 },
    );
  });
});
