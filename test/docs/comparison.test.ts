import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
/** A cell that ends with a test: its file, and its title. */
const TEST = /\| `(test\/[^`]+)`: (.+?) +\|$/gm;

it("every test that the comparison names is there", () => {
  const page = readFileSync(join(ROOT, "docs/comparison.md"), "utf8");
  const named = [...page.matchAll(TEST)].map(([, file = "", title = ""]) => ({ file, title }));
  expect(named).toHaveLength(8);
  for (const { file, title } of named) {
    expect(readFileSync(join(ROOT, file), "utf8")).toContain(`it("${title}"`);
  }
});
