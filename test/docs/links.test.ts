import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import { describe, expect, it } from "vitest";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "../..");
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
  return [name, readFileSync(join(ROOT, name), "utf8")];
}

function filesIn(folder: string, extension: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(extension) && !name.includes("node_modules"))
    .map((name) => join(folder, name));
}

function lesson(name: string): string {
  const { cells } = notebook.parse(JSON.parse(readFileSync(join(ROOT, name), "utf8")));
  const told = cells.filter((cell) => cell.cell_type === "markdown");
  return told
    .map(({ source }) => (typeof source === "string" ? source : source.join("")))
    .join("\n\n");
}

/** The anchors that a code host gives the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = page.replaceAll(FENCED, "").matchAll(/^#+ (.+)$/gm);
  return new Set(
    Array.from(headings, ([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
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

describe("the links that the site does not have", () => {
  it.each([...texts.keys()])("lead somewhere: %s", (name) => {
    expect(faultsOf(name, texts.get(name) ?? "")).toEqual([]);
  });

  it.each([
    "[a](docs/none.md)",
    "[a](docs/index.md#none)",
    '<img src="docs/no.png">',
    "`npx tsx examples/none.ts`",
  ])("are told where they do not: %s", (text) =>
    expect(faultsOf("README.md", text)).toHaveLength(1),
  );
});
