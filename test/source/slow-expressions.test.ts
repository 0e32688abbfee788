import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { slowExpressionsOf, slownessOf } from "./slow-expressions.js";

const SOURCE = fileURLToPath(new URL("../../src/", import.meta.url));

/** Made of what is ours: the table of a tokenizer, and expressions that are looked at one by one. */
const MADE_AT_RUN_TIME = [
  "core/measure/encoding/piece-pattern.ts",
  "core/describe/outlines/log.ts",
  "core/describe/outlines/test-report.ts",
  "core/engines/jq/group-counts.ts",
  "core/engines/sql/worker/scan.ts",
];

describe("regular expressions of the source", () => {
  it("take linear time, whatever the text", () => {
    const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" });
    const slow = files
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) =>
        slowExpressionsOf(file, readFileSync(`${SOURCE}${file}`, "utf8"))
          .filter(({ why }) => why !== "made at run time" || !MADE_AT_RUN_TIME.includes(file))
          .map(({ line, expression, why }) => `${file}:${line} ${expression}: ${why}`),
      );
    expect(slow).toEqual([]);
  });

  it.each([
    [/(a+)+b/],
    [/\s+$/],
    [/-+$/],
    [/([A-Za-z_]\w*)\s*:/g],
    [/"(?:\\[\s\S]|[^"\\])*"/g],
    [/Table with name (?:([A-Za-z]\w{0,62})|.*) does not exist/],
    [/^ *\|?(?: *:?-{3,}:? *\|)+/],
    [/a[^]*b/],
    [/^\s*x/m],
    [/x{3,900}y/],
    [/(?:ab*)*c/],
  ])("%s is found to be slow", ({ source, flags }) => {
    expect(slownessOf(source, flags)).toBeTypeOf("string");
  });

  it.each([[/\s+/g], [/^\s*x/], [/"(?:\\[^]|[^"\\])*"?/g], [/[A-Z]\w*/y], [/a{1,80}b/]])(
    "%s is found to be linear",
    ({ source, flags }) => {
      expect(slownessOf(source, flags)).toBeUndefined();
    },
  );

  it("finds expressions that are made at run time", () => {
    const found = slowExpressionsOf("a.ts", "const a = new RegExp(b);\nconst c = RegExp(d);");
    expect(found.map(({ line, why }) => `${line} ${why}`)).toEqual([
      "1 made at run time",
      "2 made at run time",
    ]);
  });
});
