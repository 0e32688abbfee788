/**
 * Counts the code and the documents by folder and compares them with `scripts/budget.json`. Leaves are the leaves of
 * TypeScript's syntax tree without import declarations: names, literals and keywords. Formatting does not change them.
 * Words are those of Markdown, and of the comments in code.
 *
 *   npm run budget              the table; exit 1 where a limit is passed
 *   npm run budget -- --set     sets each limit to its figure
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, extname, join, normalize } from "node:path";

import ts from "typescript";

/** What a folder may have. A limit that is not stated is not checked. */
interface Limits {
  readonly lines?: number;
  readonly leaves?: number;
  readonly words?: number;
  readonly files?: number;
}

/** A path without its own entry counts for the longest entry that it lies in, and for every total that it lies in. */
interface Budget {
  /** Folders and files that share out what lies in them: each file counts for one of them. */
  readonly folders: Readonly<Record<string, Limits>>;
  /** Sums over whole trees; keys are path prefixes, or `prefix*.ending`. */
  readonly totals: Readonly<Record<string, Limits>>;
  /** Lines of all modules that an entry reaches by static imports that stay at run time. */
  readonly reach: Readonly<Record<string, number>>;
}

/** Figures of one row of the table. */
interface Figures {
  lines: number;
  leaves: number;
  words: number;
  files: number;
}

const UNITS = ["lines", "leaves", "words", "files"] as const;
const nothing = (): Figures => ({ lines: 0, leaves: 0, words: 0, files: 0 });

const PROGRAM = new Set([".ts", ".tsx", ".mts", ".mjs"]);
const COUNTED = new Set([...PROGRAM, ".css", ".wat", ".json", ".md"]);

function sourceOf(path: string, text: string): ts.SourceFile {
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false, kind);
}

/** The leaves of a module's syntax tree, without its import declarations. */
function leavesOf(path: string, text: string): number {
  const source = sourceOf(path, text);
  const count = (node: ts.Node): number => {
    if (ts.isImportDeclaration(node) || node.kind === ts.SyntaxKind.EndOfFileToken) return 0;
    let children = 0;
    let leaves = 0;
    ts.forEachChild(node, (child) => {
      children += 1;
      leaves += count(child);
    });
    return children === 0 ? 1 : leaves;
  };
  return count(source);
}

const wordsIn = (text: string): number => text.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;

/** Words of the comments of a module. */
function commentWordsOf(path: string, text: string): number {
  const source = sourceOf(path, text);
  const ends = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    for (const { pos, end } of [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ])
      ends.set(pos, end);
    ts.forEachChild(node, visit);
  };
  visit(source);
  visit(source.endOfFileToken);
  return [...ends].reduce((sum, [pos, end]) => sum + wordsIn(text.slice(pos, end)), 0);
}

/** The modules that a module loads at run time by static imports and re-exports, as it names them. */
function importsOf(path: string, text: string): readonly string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  return source.statements.flatMap((statement) => {
    if (ts.isImportDeclaration(statement)) {
      return statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
        ? []
        : namedModule(statement.moduleSpecifier);
    }
    if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) return [];
    return namedModule(statement.moduleSpecifier);
  });
}

function namedModule(specifier: ts.Expression | undefined): readonly string[] {
  return specifier !== undefined && ts.isStringLiteral(specifier) ? [specifier.text] : [];
}

/** Lines as an editor numbers them: a last line end begins no other line. */
function linesOf(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") || text === "" ? 1 : 0);
}

/** The entry of a budget that a path counts for: the longest that it lies in. */
function folderOf(path: string, folders: readonly string[]): string | undefined {
  return folders
    .filter((folder) => path === folder || path.startsWith(`${folder}/`))
    .toSorted((a, b) => b.length - a.length)[0];
}

function isIn(path: string, total: string): boolean {
  const [start = "", end = ""] = total.split("*");
  return path.startsWith(start) && path.endsWith(end);
}

/** What passes a limit, in sentences. */
function problemsOf(name: string, figures: Figures, limits: Limits): readonly string[] {
  return UNITS.flatMap((unit) => {
    const limit = limits[unit];
    return limit === undefined || figures[unit] <= limit
      ? []
      : [`${name} has ${figures[unit]} ${unit}; its limit is ${limit}.`];
  });
}

function trackedFiles(): readonly string[] {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  return listed.split("\n").filter((path) => COUNTED.has(extname(path)) && existsSync(path));
}

/** The modules that an entry reaches, itself among them. */
function reachOf(entry: string): readonly string[] {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path) || !existsSync(path)) return;
    seen.add(path);
    if (!PROGRAM.has(extname(path))) return;
    for (const name of importsOf(path, readFileSync(path, "utf8"))) {
      if (!name.startsWith(".")) continue;
      const target = normalize(join(dirname(path), name)).replace(/\.js$/, ".ts");
      visit(existsSync(target) ? target : `${target}x`);
    }
  };
  visit(entry);
  return [...seen];
}

function main(): void {
  const file = join(import.meta.dirname, "budget.json");
  const budget = JSON.parse(readFileSync(file, "utf8")) as Budget;
  const isSetting = process.argv.includes("--set");
  const folders = Object.keys(budget.folders);
  const figures = new Map(
    [...folders, ...Object.keys(budget.totals)].map((name) => [name, nothing()]),
  );
  const problems: string[] = [];
  for (const path of trackedFiles()) {
    const text = readFileSync(path, "utf8");
    const own = folderOf(path, folders);
    if (own === undefined && path.startsWith("src/"))
      problems.push(`${path} lies in no folder of the budget.`);
    const isProgram = PROGRAM.has(extname(path));
    const leaves = isProgram ? leavesOf(path, text) : 0;
    const words = isProgram
      ? commentWordsOf(path, text)
      : extname(path) === ".md"
        ? wordsIn(text)
        : 0;
    for (const [name, sum] of figures) {
      if (name !== own && !(name in budget.totals && isIn(path, name))) continue;
      sum.lines += linesOf(text);
      sum.leaves += leaves;
      sum.words += words;
      sum.files += 1;
    }
  }
  const set = { folders: { ...budget.folders }, totals: { ...budget.totals } };
  for (const part of ["folders", "totals"] as const) {
    for (const [name, limits] of Object.entries(budget[part])) {
      const found = figures.get(name) ?? nothing();
      problems.push(...problemsOf(name, found, limits));
      set[part][name] = limitsAt(found, limits);
      print(
        name,
        found.lines,
        limits.lines,
        `${found.leaves} leaves, ${found.words} words, ${found.files} files`,
      );
    }
  }
  const reach: Record<string, number> = {};
  for (const [entry, limit] of Object.entries(budget.reach)) {
    const modules = reachOf(entry);
    const lines = modules.reduce((sum, path) => sum + linesOf(readFileSync(path, "utf8")), 0);
    if (lines > limit) problems.push(`${entry} reaches ${lines} lines; its limit is ${limit}.`);
    reach[entry] = lines;
    print(`${entry} reaches`, lines, limit, `${modules.length} modules`);
  }
  if (isSetting) writeFileSync(file, `${JSON.stringify({ ...set, reach }, null, 2)}\n`);
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 && !isSetting ? 1 : 0;
}

function limitsAt(figures: Figures, limits: Limits): Limits {
  return Object.fromEntries(
    UNITS.filter((unit) => limits[unit] !== undefined).map((unit) => [unit, figures[unit]]),
  );
}

function print(name: string, lines: number, limit: number | undefined, more: string): void {
  const of = limit === undefined ? "" : ` of ${limit}`;
  console.log(`${name.padEnd(32)} ${String(lines).padStart(7)}${of.padEnd(11)} ${more}`);
}

if (process.argv[1] === import.meta.filename) main();
