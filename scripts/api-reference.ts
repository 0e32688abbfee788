/** Writes the reference of every name that the package exports, a folder for each entry point, to docs/api. */
import { readFileSync } from "node:fs";

import { Application } from "typedoc";

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
if (app.logger.hasErrors()) process.exit(1);
console.log(`docs/api: ${project.children?.length} entry points`);
