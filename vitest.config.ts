import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";

import { defineConfig, type Plugin, type ViteUserConfig } from "vitest/config";

/** Workers are plain JavaScript files of the build; the source under test starts those. */
function builtWorkers(): Plugin {
  return {
    name: "built-workers",
    enforce: "pre",
    transform(code, id) {
      if (!id.includes("/src/drill-in/")) return undefined;
      return code.replaceAll(
        /new URL\("\.\/([a-z-]+-worker)\.js", import\.meta\.url\)/g,
        (_, name: string) => `new URL("../../dist/drill-in/${name}.js", import.meta.url)`,
      );
    },
  };
}

const report = process.env["VITEST_REPORT"];
// The other steps of CI begin when the tests do: what they need is built then.
if (report) writeFileSync(`${report}.begun`, "");

const config: ViteUserConfig = defineConfig({
  plugins: [builtWorkers()],
  test: {
    include: ["test/**/*.test.ts"],
    // The types of everything else are checked by `npm run typecheck`.
    typecheck: {
      enabled: true,
      include: ["test/**/*.test-d.ts"],
      tsconfig: "test/tsconfig.types.json",
    },
    // One less by default, which is a single one on two cores, although many tests wait for processes.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // CI shares its machine: what passes at the second try is reported as flaky, and looked into.
    retry: process.env["CI"] ? 1 : 0,
    passWithNoTests: false,
    allowOnly: false,
    // CI reads the counts from the runner's own report.
    ...(report && {
      reporters: ["default", ["json", { outputFile: report }]],
    }),
  },
});

export default config;
