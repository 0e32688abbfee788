import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { withDarkColours } from "../../scripts/site/dark-picture.js";
import { pages, ROOT } from "./page-code.js";
import { PICTURE_SOURCE, pictureSource } from "../../scripts/picture-source.js";

const textOf = (name: string): string => readFileSync(join(ROOT, name), "utf8");

describe("the links that the site does not have", () => {
  const FENCED = /^```[\s\S]*?^```/gm;
  const LINK = /\]\(([^)\s]+)\)|<(?:img|source|a)[^>]*\s(?:src|srcset|href)="([^"]+)"/g;
  /** A file that a command of a page names. */
  const NAMED = /(?:npx tsx|node) ((?:examples|scripts|eval|bench)\/[\w./-]+)/g;

  const notebook = z.object({
    cells: z.array(
      z.object({ cell_type: z.string(), source: z.union([z.string(), z.array(z.string())]) }),
    ),
  });

  /** What the site does not have: pages beside `docs`, decisions, and the lessons of notebooks. */
  const texts = new Map<string, string>([
    ...["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "AGENTS.md"].map(asItIs),
    ...filesIn("docs/decisions", ".md").map(asItIs),
    ...filesIn("examples", ".md").map(asItIs),
    ...filesIn("examples", ".ipynb").map((name): [string, string] => [name, lesson(name)]),
  ]);

  function asItIs(name: string): [string, string] {
    return [name, textOf(name)];
  }

  function filesIn(folder: string, extension: string): string[] {
    return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(extension) && !name.includes("node_modules"))
      .map((name) => join(folder, name));
  }

  function lesson(name: string): string {
    const { cells } = notebook.parse(JSON.parse(textOf(name)));
    const told = cells.filter((cell) => cell.cell_type === "markdown");
    return told.map(({ source }) => [source].flat().join("")).join("\n\n");
  }

  /** The anchors that a code host gives the headings of a page. */
  function anchorsOf(page: string): ReadonlySet<string> {
    const headings = page.replaceAll(FENCED, "").matchAll(/^#+ (.+)$/gm);
    const kept = Array.from(headings, ([, heading = ""]) =>
      heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, ""),
    );
    return new Set(kept.map((heading) => heading.replaceAll(" ", "-")));
  }

  function faultsOf(name: string, text: string): string[] {
    const links = [...text.replaceAll(FENCED, "").matchAll(LINK)].map(
      ([, link, src]) => link ?? src ?? "",
    );
    const broken = links.filter((link) => !/^[a-z]+:/.test(link) && !leads(name, link));
    const gone = [...text.matchAll(NAMED)].filter(([, file = ""]) => !existsSync(join(ROOT, file)));
    return [...broken, ...gone.map(([, file = ""]) => file)];
  }

  function leads(from: string, link: string): boolean {
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? join(ROOT, from) : join(ROOT, dirname(from), path);
    if (relative(ROOT, target).startsWith("..") || !existsSync(target)) return false;
    return anchor === undefined || anchorsOf(readFileSync(target, "utf8")).has(anchor);
  }

  it.each([...texts.keys()])("lead somewhere: %s", (name) => {
    expect(faultsOf(name, texts.get(name) ?? "")).toEqual([]);
  });
});

describe("the pictures of the pages", () => {
  const DOCS = join(ROOT, "docs");
  const files = readdirSync(DOCS, { recursive: true, encoding: "utf8" }).filter(
    (name) =>
      /\.(?:svg|png|jpe?g|gif|webp)$/.test(name) && !/^(node_modules|\.vitepress)/.test(name),
  );
  const shots = files.filter((name) => name.endsWith(".png"));

  it.each(shots)("%s stands beside the same in the other colours", (name) => {
    const twin = name.replace(
      /-(light|dark)\.png$/,
      (_, one) => `-${one === "light" ? "dark" : "light"}.png`,
    );
    expect(twin).not.toBe(name);
    expect(files).toContain(twin);
  });

  it.each(files.filter((name) => !["public/favicon.svg", ...shots].includes(name)))(
    "%s is dark on a dark page",
    (name) => {
      const picture = readFileSync(join(DOCS, name), "utf8");
      expect(picture).toMatch(/^<svg[^>]*><style>@media \(prefers-color-scheme: dark\)/);
      expect(withDarkColours(picture)).toBe(picture);
    },
  );

  it("were taken of the page as it is; else `npm run build && npx tsx scripts/screenshots.ts`", () => {
    expect(readFileSync(PICTURE_SOURCE, "utf8").trim()).toBe(pictureSource());
  });
});

it("the list of examples names each folder", () => {
  const folders = readdirSync(join(ROOT, "examples")).filter((name) => /^\d\d-/.test(name));
  const page = textOf("examples/README.md");
  expect(folders.filter((name) => !page.includes(`(${name})`))).toEqual([]);
});

it("the picture of the demo is on the home page and in the README", () => {
  for (const file of ["README.md", "docs/index.md"]) expect(textOf(file)).toContain("tokens.svg");
});

describe("what a reader pastes", () => {
  it("gets nothing of a package from what the pages take as given: blocks import it themselves", () => {
    expect(textOf("test/docs/given.ts").match(/^export (\*|\{).*$/gm)).toBeNull();
  });

  it("stands in blocks that the compiler is shown, and no other, and imports only from the package's entries", () => {
    const { exports }: { exports: object } = JSON.parse(textOf("package.json"));
    const entries = Object.keys(exports).map((entry) => entry.replace(".", "langchain-offload"));
    for (const page of pages()) {
      const text = textOf(page);
      const other = /^[ \t]*(```|~~~)(typescript|tsx|mts|ts .*|\s+ts)$|^[ \t]+```ts$/gm;
      const imported = Array.from(
        text.matchAll(/from "(langchain-offload[^"]*)"/g),
        ([, entry = ""]) => entry,
      );
      const unknown = imported.filter((entry) => !entries.includes(entry));
      expect({ page, unknown, other: text.match(other) }).toEqual({
        page,
        unknown: [],
        other: null,
      });
    }
  });
});

it("every test that the comparison names is there", () => {
  /** A cell that ends with a test: its file, and its title. */
  const named = [...textOf("docs/comparison.md").matchAll(/\| `(test\/[^`]+)`: (.+?) +\|$/gm)];
  expect(named).toHaveLength(8);
  for (const [, file = "", title] of named) expect(textOf(file)).toContain(`it("${title}"`);
});
