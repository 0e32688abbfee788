/** Writes docs/examples.md from the READMEs of the examples and of the notebooks. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = join(ROOT, "docs/examples.md");
const NOTEBOOK_ROW = /^\| \[(\d+) (.+?)\]\((.+?)\) *\| (.+?) *\| (.+?) *\|$/gm;

/** The page as it has to be. */
export function examplesPage(): string {
  const folders = readdirSync(join(ROOT, "examples")).filter((name) =>
    existsSync(join(ROOT, "examples", name, "main.ts")),
  );
  const notebooks = readFileSync(join(ROOT, "examples/notebooks/README.md"), "utf8");
  const notebookRows = Array.from(
    notebooks.matchAll(NOTEBOOK_ROW),
    ([, , title = "", file = "", data = "", shows = ""]) =>
      `| ${title} | ${data} | ${shows} | \`examples/notebooks/${file}\` |`,
  );
  return `# Examples

\`\`\`sh
npm ci
npm run demo
npm run examples
npm run notebooks
\`\`\`

Each is whole, runs without a key or a network, and checks its own answer: a script plays the model's part. \`MODEL=openai:…\` lets a
real model answer the first one and the notebooks.

| Example | What it shows | Run it, after \`npm run build\` |
| --- | --- | --- |
${folders.map((name) => exampleRow(name)).join("\n")}

## Notebooks

In TypeScript, with their charts and answers as they were when they were last run.

| Notebook | Data | Shows | File |
| --- | --- | --- | --- |
${notebookRows.join("\n")}

This page is written from the examples by \`npx tsx scripts/site/examples-page.ts\`.
`;
}

/** @throws When an example does not say in its README what it is. */
function exampleRow(name: string): string {
  const readme = readFileSync(join(ROOT, "examples", name, "README.md"), "utf8");
  const [, title, text] = /^# (.+)\n\n([\s\S]+?)\n\n/.exec(readme) ?? [];
  if (title === undefined || text === undefined)
    throw new Error(`examples/${name}/README.md needs a title and a paragraph.`);
  const cell = text.replaceAll("\n", " ").replaceAll("|", String.raw`\|`);
  return `| **${title}** | ${cell} | \`npx tsx examples/${name}/main.ts\` |`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(PAGE, examplesPage());
}
