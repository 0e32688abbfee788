/**
 * Writes the reference of every name that the package exports, a page for each entry point, to docs/api, and beside it
 * the sidebar of these pages.
 */
import { readFileSync, writeFileSync } from "node:fs";

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

const options = {
  entryPoints: [...importNames.keys()].map((module) => `src/${module}.ts`),
  tsconfig: "docs/tsconfig.json",
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
const entries = (project.children ?? []).toSorted((one, other) => (one.name < other.name ? -1 : 1));
writeFileSync("docs/api/sidebar.json", JSON.stringify(entries.map(sidebarOf)));
if (app.logger.hasErrors()) process.exit(1);
console.log(`docs/api: ${project.children?.length} entry points`);

/** An entry point and what it exports. */
function sidebarOf(module: DeclarationReflection): object {
  const link = `/api/${module.name}`;
  const names = (module.children ?? []).map(({ name }) => name).toSorted();
  return {
    text: module.name.replace(packageJson.name, ".").replace(/^\.\//, "./"),
    collapsed: true,
    link,
    items: names.map((name) => ({ text: name, link: `${link}#${slugOf(name)}` })),
  };
}

/** The anchor of a name's heading on the site. */
function slugOf(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}
