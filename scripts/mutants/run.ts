import { mkdir, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, dirname, join } from "node:path";

import pLimit from "p-limit";
import { startVitest, type TestModule } from "vitest/node";

import { type Bundle, ROOT, TEST_FILE, writeBundle } from "./bundle.js";

/** What became of a bundle: `passed` when every test that was asked for ran and passed. */
export interface Decision {
  readonly state: "passed" | "failed" | "not run";
  /** Of the first test that failed, or of what kept the tests from running. */
  readonly message: string;
}

/** Inside the packages' folder, so that the bundles find the packages. */
export const FOLDER: string = join(ROOT, "node_modules/.cache/mutants", String(process.pid));

/** Runs the tests of every bundle in one Vitest; decisions stand by the bundles' folders. */
export async function runBundles(bundles: readonly Bundle[]): Promise<Map<string, Decision>> {
  const decisions = new Map<string, Decision>();
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  try {
    const limit = pLimit(availableParallelism());
    await Promise.all(
      bundles.map((bundle) =>
        limit(async () => {
          try {
            await writeBundle(bundle);
          } catch (error) {
            decisions.set(bundle.folder, { state: "not run", message: String(error) });
          }
        }),
      ),
    );
    const vitest = await startVitest("test", [], {
      root: FOLDER,
      config: false,
      watch: false,
      include: [`*/${TEST_FILE}`],
      exclude: [],
      // Packages are loaded once for many bundles.
      isolate: false,
      maxWorkers: Math.max(2, availableParallelism()),
      testTimeout: 30_000,
      reporters: [{}],
      passWithNoTests: true,
    });
    for (const module of vitest.state.getTestModules()) {
      decisions.set(join(FOLDER, basename(dirname(module.moduleId))), verdictOf(module));
    }
    await vitest.close();
  } finally {
    await rm(FOLDER, { recursive: true, force: true });
  }
  // Vitest sets it when a test fails, which is what is wanted here.
  process.exitCode = 0;
  return decisions;
}

function verdictOf(module: TestModule): Decision {
  const [fault] = module.errors();
  if (fault !== undefined) return { state: "not run", message: fault.message };
  const results = [...module.children.allTests()].map((test) => test.result());
  const failed = results.find(({ state }) => state === "failed");
  if (failed !== undefined) {
    return { state: "failed", message: failed.errors?.[0]?.message ?? "" };
  }
  const isRun = results.some(({ state }) => state === "passed");
  return isRun
    ? { state: "passed", message: "" }
    : { state: "not run", message: "no test has such a title" };
}
