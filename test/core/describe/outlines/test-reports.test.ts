import { describe, expect, it } from "vitest";

import { linesOf } from "./lines-of.js";

/** What runners print, and what is told of it. */
const REPORTS: Readonly<Record<string, readonly [report: string, lines: string]>> = {
  "node --test, which names failures again": [
    "✔ a (1ms)\n✖ b (1ms)\n﹣ c (1ms) # SKIP\nℹ tests 3\nℹ suites 0\nℹ pass 1\nℹ fail 1\nℹ skipped 1\n\n✖ failing tests:\n\ntest at a.js:1:1\n✖ b (1ms)\n",
    "4: ℹ tests 3\n6: ℹ pass 1\n7: ℹ fail 1\n2: ✖ b (1ms)\n13: ✖ b (1ms)",
  ],
  "Mocha, which numbers failures": [
    "  Suite\n    ✔ a\n    1) b\n    - c\n    2) d\n\n  1 passing (1s)\n  1 pending\n  2 failing\n\n  1) Suite\n       b:\n     Error: x\n  2) Suite\n       d:\n     Error: y\n",
    "7: 1 passing (1s)\n8: 1 pending\n9: 2 failing\n11: 1) Suite\n14: 2) Suite",
  ],
  "TAP, in which what is to do does not fail": [
    "1..5\nok 1 - a\nnot ok 2 - b # TODO later\nok 3 - c # SKIP no network\nnot ok 4 - d\nok 5 - e\n",
    "1: 1..5\n5: not ok 4 - d",
  ],
  "pytest -v, which names failures again": [
    "a.py::a PASSED [ 25%]\na.py::b FAILED [ 50%]\na.py::c ERROR [ 75%]\na.py::d SKIPPED (no) [100%]\n\n=== short test summary info ===\nFAILED a.py::b - assert 0\nERROR a.py::c - boom\n=== 1 failed, 1 passed, 1 skipped, 1 error in 2s ===\n",
    "9: === 1 failed, 1 passed, 1 skipped, 1 error in 2s ===\n2: a.py::b FAILED [ 50%]\n3: a.py::c ERROR [ 75%]\n7: FAILED a.py::b - assert 0\n8: ERROR a.py::c - boom",
  ],
  "Vitest, which names failures again": [
    " ✓ a.test.ts (2 tests) 5ms\n ❯ b.test.ts (2 tests | 1 failed) 7ms\n   ✓ x 1ms\n   × y 3ms\n\n⎯⎯⎯ Failed Tests 1 ⎯⎯⎯\n\n FAIL  b.test.ts > y\n\n Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 3 passed (4)\n",
    "10: Test Files  1 failed | 1 passed (2)\n11: Tests  1 failed | 3 passed (4)\n2: ❯ b.test.ts (2 tests | 1 failed) 7ms\n4: × y 3ms\n8: FAIL  b.test.ts > y",
  ],
  "cargo test of many crates": [
    Array.from(
      { length: 6 },
      (_, n) =>
        `running 1 test\ntest a ... ${n === 0 ? "FAILED" : "ok"}\n\ntest result: ${n === 0 ? "FAILED. 0 passed; 1 failed" : "ok. 1 passed; 0 failed"}\n`,
    ).join("\n"),
    "the last 4 of 6 lines with totals:\n14: test result: ok. 1 passed; 0 failed\n19: test result: ok. 1 passed; 0 failed\n24: test result: ok. 1 passed; 0 failed\n29: test result: ok. 1 passed; 0 failed\n2: test a ... FAILED",
  ],
  "PHPUnit, whose lists begin anew": [
    "..FES\n\nThere was 1 error:\n\n1) T::a\nRuntimeException: x\n\n--\n\nThere was 1 failure:\n\n1) T::b\nFailed asserting\n\n--\n\nThere was 1 skipped test:\n\n1) T::c\nno\n\nERRORS!\nTests: 5, Assertions: 4, Errors: 1, Failures: 1, Skipped: 1.\n",
    "23: Tests: 5, Assertions: 4, Errors: 1, Failures: 1, Skipped: 1.\n5: 1) T::a\n12: 1) T::b",
  ],
  "RSpec, whose pending tests are no failures": [
    "..F*\n\nPending: (Failures listed here are expected)\n\n  1) A c\n\nFailures:\n\n  1) A b\n     Failure/Error: x\n\n4 examples, 1 failure, 1 pending\n\nFailed examples:\n\nrspec ./a_spec.rb:4 # A b\n",
    "12: 4 examples, 1 failure, 1 pending\n9: 1) A b",
  ],
  "nextest, which names failures again": [
    "    PASS [   0.005s] c a\n    FAIL [   0.007s] c b\n\n     Summary [   0.01s] 2 tests run: 1 passed, 1 failed, 0 skipped\n        FAIL [   0.007s] c b\n",
    "4: Summary [   0.01s] 2 tests run: 1 passed, 1 failed, 0 skipped\n2: FAIL [   0.007s] c b\n5: FAIL [   0.007s] c b",
  ],
  "Go, which tells a total for each package": [
    "=== RUN   TestA\n--- PASS: TestA (0.00s)\n--- SKIP: TestB (0.00s)\n--- FAIL: TestC (0.00s)\n    --- FAIL: TestC/sub (0.00s)\nFAIL\nFAIL\texample.com/a\t0.5s\n",
    "7: FAIL\texample.com/a\t0.5s\n4: --- FAIL: TestC (0.00s)\n5: --- FAIL: TestC/sub (0.00s)",
  ],
};

describe("the outline of a test report", () => {
  it.each(Object.entries(REPORTS))(
    "has the runner's own totals, and the lines that say what failed: %s",
    async (_name, [report, lines]) => {
      expect((await linesOf("text", report)).join("\n")).toBe(lines);
    },
  );
});
