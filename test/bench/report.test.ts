import { existsSync, readdirSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";
import { benchOf, groupsToExplain, reasonsIn } from "../../bench/report/page.js";
import { reportOf } from "../../bench/report/report.js";
import { type BenchResults, readResults } from "../../bench/report/results.js";

const root = new URL("../../", import.meta.url);
const results: BenchResults = readResults() ?? expect.fail();
const files = await reportOf(results);
const groups = [...new Set(results.rows.map(({ group }) => group))];

describe("the page of the bench", () => {
  it("is what the committed results give, pictures included: `npm run bench:report` makes it", () => {
    const committed = [...files].filter(([path]) => path !== "docs/all-benchmarks.md");
    for (const [path, text] of committed) {
      expect([path, readFileSync(new URL(path, root), "utf8") === text]).toEqual([path, true]);
    }
    const pictures = readdirSync(new URL("docs/benchmarks/", root));
    const made = [...files.keys()].filter((path) => path.endsWith(".svg"));
    expect(pictures.map((name) => `docs/benchmarks/${name}`).toSorted()).toEqual(made.toSorted());
  });

  it("has every row that was measured, with a bench that exists as its command", () => {
    const page = files.get("docs/all-benchmarks.md") ?? "";
    for (const { name, ours } of results.rows) {
      expect(page).toContain(name);
      expect(page).toContain(ours);
    }
    for (const group of groups) {
      expect(page).toContain(`npm run bench -- ${benchOf(group)}\n`);
      expect(existsSync(new URL(`bench/${benchOf(group)}.ts`, root))).toBe(true);
    }
  });

  it("has a reason for every group in which something is missed or worse", () => {
    const reasons = reasonsIn(readFileSync(new URL("bench/README.md", root), "utf8"));
    expect(groupsToExplain(results.rows).filter((group) => !reasons.has(group))).toEqual([]);
  });
});
