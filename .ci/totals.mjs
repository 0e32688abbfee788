// Adds up the reports of test runs, prints what did not pass, and ends with `N passed, N failed`.
import { readFileSync } from "node:fs";

const LONGEST_MESSAGE = 2000;
let passed = 0;
let failed = 0;

for (const path of process.argv.slice(2)) {
  try {
    const report = JSON.parse(readFileSync(path, "utf8"));
    passed += report.numPassedTests;
    // A test that was not run counts as failed here: CI has every server that one may ask for.
    failed += report.numFailedTests + report.numPendingTests;
    for (const { name, status, message, assertionResults } of report.testResults) {
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
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
