import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

/** Each has a standard term that is used in its place; the glossary is in docs/concepts.md. */
const GIVEN_UP = new Set(
  `born deeds desk door doors fold gist grants guest house lanes ledger lesson lessons nouns rehearse scope scopes
   seat seats stub stubs verdict verdicts walk walks walked`.split(/\s+/),
);

const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|class|function\*?|interface|type|enum) ([\w$]+)/gm;

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
}

function givenUpIn(names: readonly string[]): readonly string[] {
  return names.filter((name) => wordsOf(name).some((word) => GIVEN_UP.has(word)));
}

const files = ["src", "test"]
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  )
  .filter((path) => /\.(?:ts|tsx|mts)$/.test(path) && !path.includes("worker-source"));

it("words that were given up name no file and no folder", () => {
  expect(files.length).toBeGreaterThan(500);
  expect(givenUpIn(files.filter((path) => !path.includes("given-up")))).toEqual([]);
});

it("words that were given up are in no exported name", () => {
  const exported = files.flatMap((path) => {
    return [...readFileSync(path, "utf8").matchAll(EXPORTED)].map(([, name = ""]) => name);
  });
  expect(exported.length).toBeGreaterThan(1_000);
  expect(givenUpIn([...new Set(exported)])).toEqual([]);
});
