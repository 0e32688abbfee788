/** Writes docs/presets from the titles of the tests of promises, and the reasons where one differs. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

import { type Design, DESIGNS, DIFFERS } from "../test/presets/promises/differs.js";

const ROOT = join(import.meta.dirname, "..");
const TESTS = "test/presets/promises";

/** A promise of a design's document, as the title of its test has it. */
export interface Promised {
  readonly number: number;
  /** The section of the document. */
  readonly place: string;
  readonly text: string;
}

const TITLE = /^ {2}it\(\s*"(\d+) ([^:"]+): ((?:[^"\\]|\\.)+)"/gm;

/** Every design. */
export const designs: readonly Design[] = Object.keys(DESIGNS) as Design[];

/** The promises of a design, in the order of their numbers. */
export function promisesOf(design: Design): readonly Promised[] {
  const source = readFileSync(join(ROOT, TESTS, `${design}.integration.test.ts`), "utf8");
  const found = [...source.matchAll(TITLE)].map(([, number, place = "", text = ""]) => ({
    number: Number(number),
    place,
    text: text.replaceAll(String.raw`\"`, '"'),
  }));
  return found.toSorted((one, other) => one.number - other.number);
}

/** Where the page of a design is, below the root. */
export function pageOf(design: Design): string {
  return `docs/presets/${design}.md`;
}

/** The page as it has to be. */
export function promisesPage(design: Design): string {
  const promises = promisesOf(design);
  const differing = Object.keys(DIFFERS[design]).length;
  const rows = promises.map(({ number, place, text }) => {
    const reason = DIFFERS[design][number];
    const cells = [
      number,
      place,
      `${text}.`,
      reason === undefined ? "works" : "differs",
      reason ?? "",
    ];
    return `| ${cells.map((cell) => String(cell).replaceAll("|", String.raw`\|`)).join(" | ")} |`;
  });
  return `# ${design}: promise by promise

What ${DESIGNS[design]} promises, in its order: ${promises.length} promises, of which ${promises.length - differing} work as
written and ${differing} differ for the reason beside them. Each has a test of its own, with an agent and a scripted model, in
\`${TESTS}/${design}.integration.test.ts\`. This page is written by \`npx tsx scripts/promises-report.ts\` from their titles, and a test
compares it. [The preset](../presets.md)

| No. | Section | Promise | State | Why |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const design of designs) {
    const path = join(ROOT, pageOf(design));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, promisesPage(design));
  }
}
