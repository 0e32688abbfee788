import { createHash } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";

import { defineConfig, type ViteUserConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Parts of the slow tests, of which CI runs one a day: which one, from 0. Without it all are run. */
const SLOW_PARTS = 7;
const slowTurn = process.env["SLOW_TURN"];

function isOfOtherDay(path: string): boolean {
  const hash = createHash("sha256").update(path).digest();
  return hash.readUInt32LE() % SLOW_PARTS !== Number(slowTurn);
}

/** Slow tests that CI does not run today. */
const leftOut =
  slowTurn === undefined
    ? []
    : readdirSync("test", { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".slow.test.ts"))
        .map((name) => `test/${name}`)
        .filter(isOfOtherDay);

const report = process.env["VITEST_REPORT"];
// The other steps of CI begin when the tests do: what they need is built then.
if (report) writeFileSync(`${report}.begun`, "");
if (report) writeFileSync(`${report}.left-out`, JSON.stringify(leftOut));

/** Engines, servers, programs, agents and the built package: `npm run test:integration`. */
const INTEGRATION = "test/**/*.integration.test.ts";
/** What kills, soaks, builds other programs or reads whole corpora: `npm run test:slow`. */
const SLOW = "test/**/*.slow.test.ts";

/** Files of one test that takes a minute or more: begun last, they run alone while the other workers are done. */
const LONGEST = /bundlers|mutants|official|killed-writer/;

const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.test(moduleId);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort([...files]);
    return usual.toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)));
  }
}

const config: ViteUserConfig = defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // The workers of the source under test.
    globalSetup: "scripts/worker-sources.ts",
    setupFiles: ["test/setup.ts"],
    // Loading the modules anew for each file took as long as the tests.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          // Types are tested by `npm run typecheck`, in `*.test-d.ts`.
          include: ["test/**/*.test.ts"],
          exclude: [INTEGRATION, SLOW],
          // Beside the one above.
          setupFiles: ["test/unit-setup.ts"],
        },
      },
      { extends: true, test: { name: "integration", include: [INTEGRATION] } },
      { extends: true, test: { name: "slow", include: [SLOW], exclude: leftOut } },
    ],
    // More than there are cores, since many tests wait for processes.
    maxWorkers: Math.max(2, Math.ceil(1.5 * availableParallelism())),
    // For what hangs: how fast the machine is decides nothing.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
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
