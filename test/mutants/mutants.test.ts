import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { expect, it } from "vitest";

import { MUTANTS, WHOLE_MUTANTS } from "./mutants.js";

const SOURCE = resolve(import.meta.dirname, "../../src");

it.each([...MUTANTS, ...WHOLE_MUTANTS])(
  "what $file has in place of the fault ($fault) stands there once",
  ({ file, find }) => {
    const path = join(SOURCE, file);
    expect(existsSync(path)).toBe(true);
    expect(readFileSync(path, "utf8").split(find)).toHaveLength(2);
  },
);
