import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { withDarkColours } from "../../scripts/site/dark-picture.js";
import {
  faultsOfPage,
  faultsOfFigures,
  labelOf,
  readDemo,
} from "../../scripts/site/demo.js";

const DOCS = join(import.meta.dirname, "../../docs");
const ROOT = join(DOCS, "..");

describe("the pictures of the pages", () => {
  const files = readdirSync(DOCS, { recursive: true, encoding: "utf8" }).filter(
    (name) =>
      /\.(?:svg|png|jpe?g|gif|webp)$/.test(name) && !/^(node_modules|\.vitepress)/.test(name),
  );
  const icons = ["public/favicon.svg"];

  const shots = files.filter((name) => name.endsWith(".png"));

  it.each(shots)("%s stands beside the same in the other colours", (name) => {
    const twin = name.replace(
      /-(light|dark)\.png$/,
      (_, one) => `-${one === "light" ? "dark" : "light"}.png`,
    );
    expect(twin).not.toBe(name);
    expect(files).toContain(twin);
  });

  it.each(files.filter((name) => ![...icons, ...shots].includes(name)))(
    "%s is dark on a dark page",
    (name) => {
      const picture = readFileSync(join(DOCS, name), "utf8");
      expect(picture).toMatch(/^<svg[^>]*><style>@media \(prefers-color-scheme: dark\)/);
      expect(withDarkColours(picture)).toBe(picture);
    },
  );
});

describe("the list of examples", () => {
  it("names each folder", () => {
    const examples = join(DOCS, "../examples");
    const page = readFileSync(join(examples, "README.md"), "utf8");
    const folders = readdirSync(examples).filter((name) => /^\d\d-/.test(name));
    const missing = folders.filter((name) => !page.includes(`(${name})`));
    expect(missing, "missing in examples/README.md").toEqual([]);
  });
});

describe("what pages show of the demo", () => {
  const printed = `
{
  "count": 3,
  "file": "/tmp/x-01M8255WET63E5Z3R9BF479QT3.jsonl",
  "fields": ["one", "two"]
}

without langchain-offload  ~2,000  ████
with langchain-offload         20  █
`;
  const demo = readDemo(printed);
  const page = (json: string, label = labelOf(demo)): string =>
    `\`\`\`json\n${json}\n\`\`\`\n${label}`;

  it("is at fault where the demo says otherwise", () => {
    expect(faultsOfPage(page('{"count":4}'), demo)).toEqual([
      "descriptor.count is shown as 4 and is 3.",
    ]);
    expect(faultsOfPage(page('{"more":1}'), demo)).toHaveLength(1);
    expect(faultsOfPage(page("{}", "many"), demo)).toHaveLength(1);
    expect(faultsOfPage("no code", demo)).toHaveLength(1);
    expect(faultsOfFigures(labelOf({ ...demo, withTokens: 30 }), demo)).toHaveLength(1);
  });

  it("is an image on the home page and in the README", () => {
    for (const file of ["README.md", "docs/index.md"])
      expect(readFileSync(join(ROOT, file), "utf8")).toContain("tokens.svg");
  });
});
