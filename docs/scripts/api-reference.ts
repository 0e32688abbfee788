/**
 * Writes the reference of every name that the package exports, a page for each entry point, to docs/api, and beside it
 * the sidebar of these pages.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

import { Application, type DeclarationReflection } from "typedoc";

interface PackageJson {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

const packageJson = JSON.parse(readFileSync("package.json", "utf8")) as PackageJson;

/** Module names as users import them, by the module's name in the source: `store/s3`. */
const importNames = new Map(
  Object.entries(packageJson.exports).flatMap(([name, target]) =>
    typeof target === "string"
      ? []
      : [
          [
            target.default.replace(/^\.\/dist\/(.+)\.js$/, "$1"),
            `${packageJson.name}${name.slice(1)}`,
          ] as const,
        ],
  ),
);

const byName = (one: string, other: string): number => one.localeCompare(other, "en");

const options = {
  entryPoints: [...importNames.keys()].map((module) => `src/${module}.ts`),
  tsconfig: "docs/scripts/reference.json",
  plugin: ["typedoc-plugin-markdown"],
  readme: "none",
  excludeExternals: true,
  disableSources: true,
  // `npm run typecheck` has looked.
  skipErrorChecking: true,
  sortEntryPoints: true,
  logLevel: "Error" as const,
  out: "docs/api",
  router: "module",
  entryFileName: "index.md",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  typeDeclarationFormat: "table",
  tableColumnSettings: { hideModifiers: true, hideInherited: true, hideOverrides: true },
};

const app = await Application.bootstrapWithPlugins(options);
const project = await app.convert();
if (project === undefined)
  throw new Error("The sources do not compile: npm run typecheck says why.");
for (const module of project.children ?? []) {
  const importName = importNames.get(module.name) ?? importNames.get(`${module.name}/index`);
  if (importName === undefined) throw new Error(`No export of package.json is ${module.name}.`);
  module.name = importName;
}
await app.generateOutputs(project);
mendAnchors();
const entries = (project.children ?? []).toSorted((one, other) => byName(one.name, other.name));
writeFileSync("docs/api/sidebar.json", JSON.stringify(entries.map(sidebarOf)));
if (app.logger.hasErrors()) process.exit(1);
console.log(`docs/api: ${project.children?.length} entry points`);

/** An entry point and what it exports. */
function sidebarOf(module: DeclarationReflection): object {
  const link = `/api/${module.name}`;
  const names = (module.children ?? []).map(({ name }) => name).toSorted(byName);
  return {
    text: module.name.replace(`${packageJson.name}/`, "/"),
    collapsed: true,
    link,
    items: names.map((name) => ({ text: name, link: `${link}#${slugOf(name)}` })),
  };
}

/** TypeDoc counts a class's members among the headings of a page; they stand in a table there. */
function mendAnchors(): void {
  const pages = readdirSync("docs/api", { recursive: true, encoding: "utf8" });
  for (const name of pages.filter((file) => file.endsWith(".md"))) {
    const page = readFileSync(`docs/api/${name}`, "utf8");
    writeFileSync(`docs/api/${name}`, page.replaceAll(/(\(#|\.md#)([a-z]+)-\d+\)/g, "$1$2)"));
  }
}

/** The anchor of a name's heading on the site. */
function slugOf(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}
