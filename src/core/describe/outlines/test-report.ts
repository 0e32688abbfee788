import { grouped } from "../../../util/amounts.js";
import { shorten } from "../../../util/safe-text.js";
import type { Outline, OutlineEntry } from "./outline.js";
import type { LineReader } from "./text-parts.js";

/** How runners of tests say how many there were. */
const TOTAL = anyOf([
  /Tests?:? {1,8}(?:\||\d{1,7}(?:$|,| (?:passed|failed|skipped|todo|total|pending|\|)))/,
  /Test (?:Files|Suites):? {1,8}\d/,
  /test result: /,
  /[#ℹ] (?:tests|pass|fail) {1,4}\d/,
  /\d{1,7} (?:passing|failing|pending)\b/,
  /=+ .{0,80}\d (?:passed|failed|errors?)\b/,
  /\d{1,7} (?:passed|failed|skipped|flaky)(?:$|,| in | \()/,
  /\d{1,7} (?:pass|fail)$/,
  /\d{1,7} (?:tests?|examples?|runs?),.{0,60} \d{1,7} (?:failures?|failed)\b/,
  /\d{1,7} tests? (?:passed|failed|completed)\b/,
  /Tests run: \d/,
  /Ran \d{1,7} tests? in /,
  /(?:OK|FAILED) \(/,
  /(?:ok|FAILED) \| \d/,
  /(?:Passed|Failed)! {1,2}- Failed: {1,8}\d/,
  /(?:Total tests|Passed|Failed|Skipped): {1,8}\d{1,7}$/,
  /Test summary: total: \d/,
  /\d{1,3}% tests passed, \d/,
  /\[ {1,12}\d{1,7} tests (?:found|skipped|successful|failed) {1,12}\]/,
  /\[ {2}(?:PASSED|FAILED) {2}\] \d{1,7} tests?\b/,
  /Summary \[.{1,20}\] {1,4}\d/,
  /Files=\d{1,7}, Tests=\d/,
  /Executed \d{1,7} tests?, with \d/,
]);
/** Marks of a test, or a file of tests, that failed: TAP, Go, pytest, Vitest, Jest, Node, Cargo, GoogleTest, nextest, Bun, .NET, CTest. */
const FAILED = anyOf([
  /not ok \d/,
  /--- FAIL: /,
  /[✗✕✖✘×] ?(?!failing tests:)\S/,
  /❯ \S{1,200} \(\d{1,7} tests? \| \d{1,7} failed/,
  /FAIL(?::| \[| {1,2}\S)/,
  /(?:FAILED|ERROR) \S{1,200}::/,
  /\[ {2}FAILED {2}\] \S/,
  /\(fail\) /,
  /Failed \S.{0,200} \[.{1,12}\]$/,
  /\d{1,6}\/\d{1,6} Test +#\d{1,6}: .{0,200}\*\*\*\w/,
  /[+|│├└─ ]{2,60}\S.{0,200} (?:✘|\[X\])(?: |$)/,
]);
const PASSED = anyOf([
  /ok \d/,
  /--- PASS: /,
  /[✓✔√] ?\S/,
  /PASS(?: \[| {1,2}\S)/,
  /\[ {7}OK \] /,
  /\(pass\) /,
  /Passed \S.{0,200} \[.{1,12}\]$/,
  /\d{1,6}\/\d{1,6} Test +#\d{1,6}: .{0,200} Passed /,
  /[+|│├└─ ]{2,60}\S.{0,200} (?:✔|\[OK\])(?: |$)/,
]);
/** Behind the name of a test: pytest, unittest, Cargo. */
const BEHIND = /(?:::.{1,150} | \.\.\. )(?:(ok|PASSED)|FAIL|FAILED|ERROR)(?: \[.{1,6}\])?$/;
/** What is left out or may fail. */
const EXCUSED = / # (?:SKIP|TODO)\b/i;
/** Mocha, PHPUnit and RSpec number failures below such a line; others number what was left out. */
const LIST_OF_FAILURES =
  /^ {0,12}(?:\d{1,7} failing|Failures:$|There (?:was|were) \d{1,7} (?:failure|error)s?:)/;
const LIST_OF_OTHERS = /^ {0,12}(?:Pending:|There (?:was|were) \d{1,7} |\d{1,7} tests? triggered )/;
const NUMBERED = /^ {0,12}\d{1,6}\) \S/;
// oxlint-disable-next-line no-control-regex -- what terminals read as a colour
const STYLE = /\u001b\[[\d;]{0,8}m/g;

const MIN_RESULTS = 3;
const MAX_FAILURES = 300;
const MAX_TOTALS = 4;
const SHOWN_CHARACTERS = 110;

/** One expression for the beginnings of lines: what they have in common is tried at one go. */
function anyOf(all: readonly RegExp[]): RegExp {
  return new RegExp(`^ {0,12}(?:${all.map(({ source }) => source).join("|")})`);
}

/** Reads the lines of a run of tests that say how many there were and which failed. */
export function testReportReader(): LineReader & { readonly outline: () => Outline | undefined } {
  const failures: OutlineEntry[] = [];
  let totals: string[] = [];
  let [totalCount, passed, failed] = [0, 0, 0];
  let isList = false;

  return {
    take(styled, number) {
      const line = styled.includes("\u001b") ? styled.replaceAll(STYLE, "") : styled;
      if (LIST_OF_FAILURES.test(line)) isList = true;
      else if (LIST_OF_OTHERS.test(line)) isList = false;
      const [behind, ofPassed] = BEHIND.exec(line) ?? [];
      const text = `${number}: ${shorten(line.trim(), SHOWN_CHARACTERS)}`;
      if (TOTAL.test(line)) {
        totalCount += 1;
        totals = [...totals, text].slice(-MAX_TOTALS);
      } else if (
        FAILED.test(line) ||
        (behind !== undefined && ofPassed === undefined) ||
        (isList && NUMBERED.test(line))
      ) {
        if (EXCUSED.test(line)) return;
        failed += 1;
        if (failures.length < MAX_FAILURES) failures.push({ text, rank: 1, weight: -number });
      } else if ((ofPassed !== undefined || PASSED.test(line)) && !EXCUSED.test(line)) passed += 1;
    },
    outline() {
      const results = passed + failed;
      if (results === 0) return undefined;
      if (totalCount === 0 && (passed === 0 || results < MIN_RESULTS)) return undefined;
      const more = `the last ${MAX_TOTALS} of ${grouped(totalCount)} lines with totals:`;
      return {
        facts:
          totalCount === 0
            ? [
                `lines of tests: ${grouped(passed)} passed${failed === 0 ? "" : `, ${grouped(failed)} failed`}`,
              ]
            : [...(totalCount > MAX_TOTALS ? [more] : []), ...totals],
        entries: failures,
        total: failed,
        noun: "lines of failures",
        hasLines: true,
      };
    },
  };
}
