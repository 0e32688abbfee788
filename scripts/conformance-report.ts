/** Writes docs/conformance.md from the rules, the titles of their tests, and the reasons of those without one. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { NOT_APPLICABLE } from "../test/conformance/not-applicable.js";
import { type Rule, RULES } from "../test/conformance/rules.js";
import { MUTANTS } from "../test/mutants/mutants.js";
import { WHOLE_MUTANTS, WHOLE_RULES } from "../test/mutants/whole.js";

const ROOT = join(import.meta.dirname, "..");
const TESTS = "test/conformance";
const PAGE = "docs/conformance.md";

/** A test of a rule. */
export interface RuleTest {
  readonly number: number;
  readonly strength: string | undefined;
  readonly title: string;
  readonly file: string;
}

const TITLE = /^ {2}it\(\s*"(\d+) ((MUST NOT|MUST|SHOULD|RECOMMENDED|MAY) )?((?:[^"\\]|\\.)+)"/gm;

/** Every test whose title begins with a rule's number. */
export function ruleTests(): readonly RuleTest[] {
  const files = readdirSync(join(ROOT, TESTS)).filter((name) => name.endsWith(".test.ts"));
  return files.toSorted().flatMap((file) => {
    const source = readFileSync(join(ROOT, TESTS, file), "utf8");
    return Array.from(source.matchAll(TITLE), ([, number, , strength, title = ""]) => ({
      number: Number(number),
      strength,
      title,
      file,
    }));
  });
}

/** The page as it has to be. */
export function conformancePage(): string {
  const tests = new Map(ruleTests().map((test) => [test.number, test]));
  const untested = RULES.length - tests.size;
  const required = RULES.filter(({ level }) => level > 0);
  const met = required.filter(({ number }) => tests.has(number)).length;
  const rows = RULES.map((rule) => row(rule, tests.get(rule.number)));
  const mutants = MUTANTS.map(
    ({ rule, file, fault }) =>
      `| ${rule} | \`${file}\` | ${sentence(fault)} | \`${tests.get(rule)?.file ?? "nothing"}\` |`,
  );
  const whole = WHOLE_MUTANTS.map(
    ({ whole: number, file, fault, test }) =>
      `| ${number}. ${WHOLE_RULES[number - 1]} | \`${file}\` | ${sentence(fault)} | \`${test}\` |`,
  );
  return `# Conformance to the LRO specification

\`\`\`sh
npx vitest run test/conformance
\`\`\`

The specification has ${RULES.length} rules that fix behaviour. ${tests.size} of them have a test of their own that runs the
real walk; ${untested} do not apply to this package. Of the ${required.length} rules of levels 1 to 3, ${met} are tested.

A rule's level is the first conformance level that needs it; \`-\` marks what is optional at every level. The rules
are in our words. This page is written by \`npx tsx scripts/conformance-report.ts\`, and a test compares it with the
rules and the titles of the tests.

| Rule | Level | Strength | What it says | State | Test or reason |
| --- | --- | --- | --- | --- | --- |
${rows.join("\n")}

[Promises of \`atlatl()\`](presets/atlatl.md), which follows the older revision, have a page of their own.

## Mutants

Each of these faults was put into the source alone, and the test of its rule failed. \`npm run mutants\` does it again
for all of them, \`npm run mutants -- 19 28\` for two rules; a mutant that lives is a failure, and so is one whose text
is no longer in the file. CI runs them among its slow tests.

| Rule | File below \`src\` | What is wrong with it | Killed by |
| --- | --- | --- | --- |
${mutants.join("\n")}

The library's own ten rules have mutants too, \`npm run mutants -- whole-5\`:

| Rule | File below \`src\` | What is wrong with it | Killed by |
| --- | --- | --- | --- |
${whole.join("\n")}

## Where we read the specification

- Tokens are those of \`o200k_base\` by default, for every script. \`tokenizer: "characters"\` gives the
  specification's characters / 4 with code points as characters, and strictly more than the threshold is offloaded.
- The threshold is one of result sets: it holds for outputs with records, whatever tool they come from. Those without, such
  as text, stay up to 6,400 tokens unless a threshold is stated, which then holds for both.
- \`lro({ env: process.env })\` reads the variables: a library does not look at an environment unasked.
- Below a threshold of some 1,400 tokens the ten recipes would cost more than they save: a shorter form has the path.
- Recipes read absent and \`null\` fields as empty; the printed ones let jq stop with an error there.
- Paths stand in commands as one quoted word of the shell.
- \`estimated_tokens\` is the size of the set, in the header and in the summary alike.
- \`list\` and \`search\` are \`light\` when the call names no level, as \`recall\` is.
- Results of other tools have ten recipes over their own fields, in a shorter form. Their operation is the tool's name.
- In a very long directory the guidance names the path once, so that the descriptor keeps its budget.

## Recap

- Level 3: threshold, JSON lines, ten recipes, cleanup, fallback and events, each with a test.
- A rule's number begins the title of its test, and for each rule there is a fault that its test has been seen to find.
- The rules of the MCP proxy are tested over real connections: the proxy, and a server that offloads itself.
`;
}

function sentence(title: string): string {
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}.`;
}

function row({ number, strength, level, text }: Rule, test: RuleTest | undefined): string {
  const state = test === undefined ? "does not apply" : "tested";
  const where = test === undefined ? (NOT_APPLICABLE[number] ?? "") : `\`${test.file}\``;
  return `| ${number} | ${level === 0 ? "-" : level} | ${strength} | ${text} | ${state} | ${where} |`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(join(ROOT, PAGE), conformancePage());
}
