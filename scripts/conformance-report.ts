/**
 * Writes docs/conformance.md, every promise of the five designs that differs here, and docs/promises, a page for each
 * design with all of its promises, their tests and mutants. `npm run docs` writes the latter; they are not committed.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { NOT_APPLICABLE } from "../test/conformance/not-applicable.js";
import { RULES } from "../test/conformance/rules.js";
import { MUTANTS, WHOLE_MUTANTS, WHOLE_RULES } from "../test/mutants/mutants.js";
import { type Design, DESIGNS, DIFFERS } from "../test/presets/promises/differs.js";

const ROOT = join(import.meta.dirname, "..");
const TESTS = "test/conformance";
const PAGE = "docs/conformance.md";
const PROMISES = "docs/promises";

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

/** Every design whose promises stand in test/presets/promises. */
export const designs: readonly Design[] = Object.keys(DESIGNS) as Design[];

/** A promise of a design's document, as the title of its test has it. */
export interface Promised {
  readonly number: number;
  /** The section of the document. */
  readonly place: string;
  readonly text: string;
}

const PROMISE = /^ {2}it\(\s*"(\d+) ([^:"]+): ((?:[^"\\]|\\.)+)"/gm;

const testsOf = (design: Design): string => `test/presets/promises/${design}.integration.test.ts`;

/** The promises of a design, in the order of their numbers. */
export function promisesOf(design: Design): readonly Promised[] {
  const source = readFileSync(join(ROOT, testsOf(design)), "utf8");
  const found = [...source.matchAll(PROMISE)].map(([, number, place = "", text = ""]) => ({
    number: Number(number),
    place,
    text: text.replaceAll(String.raw`\"`, '"'),
  }));
  return found.toSorted((one, other) => one.number - other.number);
}

/** docs/conformance.md as it has to be. */
export function conformancePage(): string {
  const required = RULES.filter(({ level }) => level > 0);
  const untested = RULES.filter(({ number }) => number in NOT_APPLICABLE);
  const sections = designs.map((design) => {
    const promises = promisesOf(design);
    const rows = promises.flatMap(({ number, place, text }) => {
      const reason = DIFFERS[design][number];
      return reason === undefined ? [] : [[number, place, `${text}.`, reason]];
    });
    return `## ${design}

${DESIGNS[design]}: ${promises.length} promises, of which ${promises.length - rows.length} hold as written.

${table(["No.", "Section", "Promise", "Here"], rows)}`;
  });
  return `# Conformance

Every promise of the five designs has a test. This page has the promises that differ here, with the reason. \`npm run docs\`
builds a page for each design with all of its promises and their tests.

\`\`\`sh
npx vitest run test/conformance test/presets/promises
\`\`\`

## LRO specification

The specification has ${RULES.length} rules that fix behavior. All ${required.length} rules of levels 1 to 3 are tested. These ${untested.length}
optional rules do not apply:

${table(
  ["Rule", "What it says", "Why it does not apply"],
  untested.map(({ number, text }) => [number, text, NOT_APPLICABLE[number] ?? ""]),
)}

Where the specification can be read in two ways:

- Tokens are tokens of \`o200k_base\`, for every script. \`tokenizer: "characters"\` counts characters / 4. Strictly more
  than the threshold is offloaded.
- The threshold holds for outputs with records, from any tool. Other outputs, such as text, stay inline up to 6,400 tokens.
  A threshold that you state holds for both.
- \`lro({ env: process.env })\` reads the environment. Without \`env\` nothing is read.
- Below a threshold of about 1,400 tokens the ten recipes would cost more than they save. A shorter form has the path.
- Recipes read absent and \`null\` fields as empty. The printed recipes let jq stop with an error there.
- Paths in commands are one quoted word of the shell.
- \`estimated_tokens\` is the size of the set, in the header and in the summary.
- \`list\` and \`search\` are \`light\` when the call names no level, as \`recall\` is.
- Results of other tools have ten recipes over their own fields, in a shorter form. Their operation is the tool's name.
- In a very long directory the guidance names the path once, so that the descriptor keeps its budget.

${sections.join("\n\n")}
`;
}

/** The page of all rules of the LRO specification, with their tests and mutants. */
function rulesPage(): string {
  const tests = new Map(ruleTests().map((test) => [test.number, test]));
  const rows = RULES.map(({ number, level, strength, text }) => [
    number,
    level === 0 ? "-" : level,
    strength,
    text,
    tests.get(number)?.file ?? NOT_APPLICABLE[number] ?? "",
  ]);
  const faults = ["Rule", "File below `src`", "Fault", "Found by"];
  return `# LRO specification: rule by rule

A rule's level is the first conformance level that needs it; \`-\` marks what is optional at every level. The rules are in our words.

${table(["Rule", "Level", "Strength", "What it says", "Test or reason"], rows)}

## Mutants

\`npm run mutants\` puts each of these faults into the source alone. The test of its rule must fail.

${table(
  faults,
  MUTANTS.map(({ rule, file, fault }) => [rule, file, fault, tests.get(rule)?.file ?? ""]),
)}

The library's own ten rules have mutants too:

${table(
  faults,
  WHOLE_MUTANTS.map(({ whole, file, fault, test }) => [
    WHOLE_RULES[whole - 1] ?? "",
    file,
    fault,
    test,
  ]),
)}
`;
}

function promisesPage(design: Design): string {
  const rows = promisesOf(design).map(({ number, place, text }) => [
    number,
    place,
    `${text}.`,
    DIFFERS[design][number] ?? "works",
  ]);
  return `# ${design}: promise by promise

What ${DESIGNS[design]} promises, in its order. Each promise has a test of its own, with an agent and a scripted model, in \`${testsOf(design)}\`.

${table(["No.", "Section", "Promise", "Here"], rows)}
`;
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string =>
    `| ${cells.map((cell) => String(cell).replaceAll("|", String.raw`\|`)).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(join(ROOT, PAGE), conformancePage());
  mkdirSync(join(ROOT, PROMISES), { recursive: true });
  writeFileSync(join(ROOT, PROMISES, "lro.md"), rulesPage());
  for (const design of designs)
    writeFileSync(join(ROOT, PROMISES, `${design}.md`), promisesPage(design));
}
