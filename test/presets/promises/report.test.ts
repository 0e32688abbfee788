import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { designs, pageOf, promisesOf, promisesPage } from "../../../scripts/promises-report.js";
import { DIFFERS } from "./differs.js";

/** Tables may be aligned by the formatter. */
const cellsOf = (page: string): string[] =>
  page.split("\n").map((line) => line.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---").trimEnd());

describe.each(designs)("the promises of %s", (design) => {
  it("are numbered from 1 without a gap, each with one test", () => {
    const numbers = promisesOf(design).map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => index + 1));
    expect(numbers.length).toBeGreaterThan(10);
  });

  it("differ only where there is such a promise", () => {
    const numbers = new Set(promisesOf(design).map(({ number }) => number));
    expect(Object.keys(DIFFERS[design]).filter((number) => !numbers.has(Number(number)))).toEqual(
      [],
    );
  });

  it("are what the page says", () => {
    const page = readFileSync(new URL(`../../../${pageOf(design)}`, import.meta.url), "utf8");
    expect(cellsOf(page)).toEqual(cellsOf(promisesPage(design)));
  });
});
