/**
 * Puts each fault of `test/mutants` into the source, one at a time, and sees that a test fails: `npm run mutants`, or
 * `npm run mutants -- 19 28` for two rules of the specification, `whole-5` for one of the library's own, `--part=0/4`
 * for the first of four parts.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { type Fault, MUTANTS, WHOLE_MUTANTS } from "../../test/mutants/mutants.js";
import { ruleTests } from "../conformance-report.js";
import { writeWorkerSources } from "../worker-sources.js";
import { type Bundle, ROOT } from "./bundle.js";
import { FOLDER, runBundles, type Decision } from "./run.js";

/** A fault, and what has to find it. */
interface Case extends Fault {
  /** As it is asked for. */
  readonly rule: string;
  /** From the root; `undefined` where no test has the rule's number. */
  readonly testFile: string | undefined;
  /** How the titles of its tests begin. */
  readonly title: string;
}

const ruleFiles = new Map(
  ruleTests().map(({ number, file }) => [number, `test/conformance/${file}`]),
);
const cases: readonly Case[] = [
  ...MUTANTS.map(({ rule, ...fault }) => ({
    ...fault,
    rule: String(rule),
    testFile: ruleFiles.get(rule),
    title: `${rule} `,
  })),
  ...WHOLE_MUTANTS.map(({ whole, test, ...fault }) => ({
    ...fault,
    rule: `whole-${whole}`,
    testFile: `test/${test}`,
    title: "",
  })),
];
const { values, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: { part: { type: "string", default: "0/1" } },
});
const [part = 0, parts = 1] = values.part.split("/").map(Number);
const chosen = cases.filter(
  ({ rule }, index) => (asked.length === 0 || asked.includes(rule)) && index % parts === part,
);
const problems: string[] = [];

/** A mutant as it is told of. */
const named = ({ rule, file, fault }: Case): string => `Rule ${rule}, src/${file} (${fault})`;

/** The tests of a rule with the fault in the source; `undefined` where that cannot be made. */
async function mutated(mutant: Case, folder: string): Promise<Bundle | undefined> {
  const { rule, file, find, put, testFile, title } = mutant;
  if (testFile === undefined) {
    problems.push(
      `${named(mutant)}: no test has a title that begins with ${rule}. Write one, or take the mutant out.`,
    );
    return undefined;
  }
  const path = join(ROOT, "src", file);
  const source = await readFile(path, "utf8").catch(() => "");
  const times = source.split(find).length - 1;
  if (times !== 1) {
    problems.push(
      `${named(mutant)}: the file has its text ${times} times. Write in test/mutants/faults.txt what stands there once: ${JSON.stringify(find)}`,
    );
    return undefined;
  }
  const changed = { path, text: source.replace(find, () => put) };
  return { folder, testFile, titles: [title], changed };
}

/** The tests with the source as it is: what fails there says nothing about a mutant. */
function unchanged(): Bundle[] {
  const titles = new Map<string, Set<string>>();
  for (const { testFile, title } of chosen) {
    if (testFile !== undefined)
      titles.set(testFile, (titles.get(testFile) ?? new Set()).add(title));
  }
  return [...titles].map(([testFile, titles], index) => ({
    folder: join(FOLDER, `unchanged-${index}`),
    testFile,
    titles: [...titles],
  }));
}

/** What is wrong with a decision, and what to do about it; `undefined` for one that is as it has to be. */
function problemOf(
  { testFile }: Bundle,
  mutant: Case | undefined,
  { state, message }: Decision,
): string | undefined {
  if (mutant === undefined) {
    return state === "passed"
      ? undefined
      : `${testFile} fails without any mutant, so mend it first: ${message}`;
  }
  if (state === "failed") return undefined;
  return state === "passed"
    ? `${named(mutant)} survives: ${testFile} passes with it. Write the test of rule ${mutant.rule} so that it fails.`
    : `${named(mutant)}: ${testFile} does not run with it, so write another fault: ${message}`;
}

if (chosen.length === 0)
  problems.push(`There is no mutant of rule ${asked.join(", ")} in part ${values.part}.`);
await writeWorkerSources();
const mutants = new Map<Bundle, Case>();
for (const [index, mutant] of chosen.entries()) {
  const bundle = await mutated(mutant, join(FOLDER, String(index)));
  if (bundle !== undefined) mutants.set(bundle, mutant);
}
const bundles = [...unchanged(), ...mutants.keys()];
const decisions = await runBundles(bundles);
for (const bundle of bundles) {
  const decision = decisions.get(bundle.folder) ?? { state: "not run", message: "no decision" };
  const problem = problemOf(bundle, mutants.get(bundle), decision);
  if (problem !== undefined) problems.push(problem);
}
for (const problem of problems) console.error(problem);
const outcome = problems.length === 0 ? "each killed" : `${problems.length} problems`;
console.log(`${chosen.length} mutants, ${outcome}.`);
process.exitCode = problems.length > 0 ? 1 : 0;
