/** The TypeScript of the pages as files that can be checked and run. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import ts from "typescript";

import { compile } from "../compile.js";

/** One block of a page, written out as a file of its own. */
export interface PageCode {
  /** Where it stands: `docs/tools.md:15`. */
  readonly place: string;
  readonly page: string;
  readonly file: string;
  readonly code: string;
}

export const ROOT: string = resolve(import.meta.dirname, "../..");
const FENCE = /^```ts\n([\s\S]*?)^```$/gm;

/** The README and every page of docs, as paths from the root. */
export function pages(): string[] {
  const docs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .filter((name) => !/^(api|decisions|node_modules|\.vitepress)\b/.test(name));
  return ["README.md", ...docs.map((name) => `docs/${name}`).toSorted()];
}

/**
 * Writes every TypeScript block to `folder`. A name that a block uses and does not declare comes from
 * `given.ts`, as what a reader has: a model, a tool, a store.
 */
export function writePageCode(folder: string, givenNames: readonly string[]): PageCode[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return pages().flatMap((page) => {
    const text = readFileSync(join(ROOT, page), "utf8");
    return [...text.matchAll(FENCE)].map((match) => {
      const [, code = ""] = match;
      const line = text.slice(0, match.index).split("\n").length;
      const name = `${page.replaceAll(/[/.]/g, "-")}-${line}`;
      const file = join(folder, `${name}.ts`);
      writeFileSync(file, withGiven(code, givenNames, folder));
      return { place: `${page}:${line}`, page, file, code };
    });
  });
}

function withGiven(code: string, givenNames: readonly string[], folder: string): string {
  const declared = declaredNames(code);
  const needed = givenNames.filter(
    (name) => !declared.has(name) && new RegExp(`(?<![\\w$]|[^.]\\.)${name}\\b(?!:)`).test(code),
  );
  const from = relative(folder, join(import.meta.dirname, "given.js"));
  const given = needed.length > 0 ? `import { ${needed.join(", ")} } from "${from}";\n` : "";
  return `${given}${code}\nexport {};\n`;
}

/** Names that a file declares or imports at its top level. */
function declaredNames(code: string): ReadonlySet<string> {
  const names = new Set<string>();
  const addBinding = (name: ts.BindingName): void => {
    if (ts.isIdentifier(name)) names.add(name.text);
    else
      for (const element of name.elements)
        if (ts.isBindingElement(element)) addBinding(element.name);
  };
  for (const statement of ts.createSourceFile("block.ts", code, ts.ScriptTarget.ES2023)
    .statements) {
    if (ts.isVariableStatement(statement))
      for (const { name } of statement.declarationList.declarations) addBinding(name);
    if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name)
      names.add(statement.name.text);
    if (ts.isImportDeclaration(statement)) {
      const { name, namedBindings } = statement.importClause ?? {};
      if (name) names.add(name.text);
      if (namedBindings && ts.isNamespaceImport(namedBindings)) names.add(namedBindings.name.text);
      if (namedBindings && ts.isNamedImports(namedBindings))
        for (const { name } of namedBindings.elements) names.add(name.text);
    }
  }
  return names;
}

/** What the compiler says of the files of a folder, a line each. */
export function typeErrors(folder: string): string[] {
  const places = { module: "nodenext", moduleResolution: "nodenext", types: ["node"] };
  const strict = { strict: true, noEmit: true, skipLibCheck: true };
  const compilerOptions = { target: "es2023", lib: ["es2023"], ...places, ...strict };
  const config = { compilerOptions, include: ["*.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  return compile(folder);
}

/** What a block uses and does not declare. */
export const GIVEN: string = fileURLToPath(new URL("given.ts", import.meta.url));
/** The program that runs them. */
export const RUN_PAGES: string = fileURLToPath(new URL("run-pages.ts", import.meta.url));
