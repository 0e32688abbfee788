import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { Rolldown } from "tsdown";

export const ROOT: string = resolve(import.meta.dirname, "../..");

/** A test file with the source that it tests, as one module in a folder of its own. */
export interface Bundle {
  readonly folder: string;
  /** From the root. */
  readonly testFile: string;
  /** How the titles of the tests begin that are run. */
  readonly titles: readonly string[];
  /** The file of the source that is changed, and its text then. */
  readonly changed?: { readonly path: string; readonly text: string };
}

/** Writes the bundle, and beside it the test file that loads it. Throws where the changed source is no program. */
export async function writeBundle(bundle: Bundle): Promise<void> {
  await mkdir(bundle.folder, { recursive: true });
  const input: Record<string, string> = { bundle: ENTRY };
  const source = await readFile(join(ROOT, bundle.testFile), "utf8");
  // A test of the program runs it from `dist`: here it is the changed one.
  const runsProgram = /dist\/cli\/main\.js|cli\/run-command\.js/.test(source);
  if (runsProgram) input["main"] = join(ROOT, "src/cli/main.ts");
  const build = await Rolldown.rolldown({
    input,
    platform: "node",
    // Nothing is lost by what is left in, and looking for it takes time.
    treeshake: false,
    external: (id) => !/^[./\0]/.test(id),
    plugins: [changedSource(bundle)],
    checks: { pluginTimings: false },
  });
  await build.write({ dir: bundle.folder, format: "esm", entryFileNames: "[name].mjs" });
  await build.close();
  await writeFile(join(bundle.folder, TEST_FILE), 'import "./bundle.mjs";\n');
}

/** What Vitest looks for. */
export const TEST_FILE = "bundled.test.mjs";

const ENTRY = "\0entry";
// Hooks that are called for every module take most of a bundle's time.
const IS_ENTRY = /^\0entry$/;

function changedSource({ folder, testFile, titles, changed }: Bundle): Rolldown.Plugin {
  return {
    name: "changed-source",
    resolveId: {
      filter: { id: [IS_ENTRY, /\/worker-source\//] },
      handler(id, importer) {
        if (id === ENTRY) return id;
        // Long texts that no mutant touches.
        return { id: resolve(dirname(importer ?? ""), id), external: "absolute" };
      },
    },
    load: {
      filter: { id: changed === undefined ? [IS_ENTRY] : [IS_ENTRY, changed.path] },
      handler: (id) => (id === ENTRY ? entry(testFile, titles) : changed?.text),
    },
    transform: {
      filter: { code: ["import.meta."] },
      handler: (code, id) =>
        code
          .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
          .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)))
          .replaceAll('new URL("../../dist/cli/main.js"', `new URL("${folder}/main.mjs"`),
    },
  };
}

/** The tests of a file as Vitest runs them, but for those that are not asked for. */
function entry(testFile: string, titles: readonly string[]): string {
  return `
    import { beforeEach } from "vitest";
    const titles = ${JSON.stringify(titles)};
    beforeEach(({ task, skip }) => {
      if (!titles.some((title) => task.name.startsWith(title))) skip();
    });
    import ${JSON.stringify(join(ROOT, "test/setup.ts"))};
    import ${JSON.stringify(join(ROOT, testFile))};
  `;
}
