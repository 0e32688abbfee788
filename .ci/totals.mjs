// Adds up the reports of test runs, prints what did not pass, and ends with `N passed, N failed`. Each file of tests
// has to stand in one report, but for the slow ones of other days: a file that no run or two runs took fails the whole.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const LONGEST_MESSAGE = 2000;
const IS_TEST = /\.(test|spec)\.[cm]?[jt]sx?$/;
const TESTS = resolve(import.meta.dirname, "../test");

let passed = 0;
let failed = 0;
/** How many reports a file stands in. */
const reported = new Map();
for (const name of readdirSync(TESTS, { recursive: true })) {
  if (IS_TEST.test(name)) reported.set(join(TESTS, name), 0);
}

for (const path of process.argv.slice(2)) {
  try {
    const report = JSON.parse(readFileSync(path, "utf8"));
    for (const name of JSON.parse(readFileSync(`${path}.left-out`, "utf8"))) {
      reported.delete(join(TESTS, "..", name));
    }
    passed += report.numPassedTests;
    // A test that was not run counts as failed here: CI has every server that one may ask for.
    failed += report.numFailedTests + report.numPendingTests;
    for (const { name, status, message, assertionResults } of report.testResults) {
      reported.set(name, (reported.get(name) ?? 0) + 1);
      if (status === "failed") console.log(`failed: ${name}\n${message.slice(0, LONGEST_MESSAGE)}`);
      if (status === "failed" && assertionResults.length === 0) failed += 1;
      for (const { status: outcome, fullName, failureMessages } of assertionResults) {
        if (outcome === "passed") continue;
        const messages = (failureMessages ?? []).join("\n").slice(0, LONGEST_MESSAGE);
        console.log(`${outcome}: ${fullName}\n${messages}`);
      }
    }
  } catch (error) {
    console.log(`no test report: ${error.message}`);
    failed += 1;
  }
}
for (const [name, times] of reported) {
  if (times === 1) continue;
  console.log(`in ${times} test reports: ${name}`);
  failed += 1;
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
