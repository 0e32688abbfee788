/** What a line says in the output of a runner of tests. */
export type TestLine =
  /** How many there were in all. */
  | "total"
  /** A test that passed, or one that failed. */
  | "passed"
  | "failed"
  /** The same with a mark that some runners write once more after all tests. */
  | "marked"
  /** A test that is named among those that failed, whether or not it was named before. */
  | "listed"
  /** One that was left out, or may fail. */
  | "excused"
  | "passed-file"
  | "failed-file"
  /** What comes next are the failures once more, or tests that were left out. */
  | "list-of-failures"
  | "list-of-others";

const TOTALS = [
  /^ {0,12}Tests?:? {1,8}(?:\||\d{1,7}(?:$|,| (?:passed|failed|skipped|todo|total|pending|\|)))/,
  /^ {0,12}Test (?:Files|Suites):? {1,8}\d/,
  /^ {0,12}test result: /,
  /^ {0,12}[#ℹ] (?:tests|pass|fail) {1,4}\d/,
  /^ {0,12}\d{1,7} (?:passing|failing|pending)\b/,
  /^ {0,12}=+ .{0,80}\d (?:passed|failed|errors?)\b/,
  /^ {0,12}\d{1,7} (?:passed|failed|skipped|flaky)(?:$|,| in | \()/,
  /^ {0,12}\d{1,7} (?:pass|fail)$/,
  /^ {0,12}\d{1,7} (?:tests?|examples?|runs?),.{0,60} \d{1,7} (?:failures?|failed)\b/,
  /^ {0,12}\d{1,7} tests? (?:passed|failed|completed)\b/,
  /^ {0,12}Tests run: \d/,
  /^ {0,12}Ran \d{1,7} tests? in /,
  /^ {0,12}(?:OK|FAILED) \(/,
  /^ {0,12}(?:ok|FAILED) \| \d/,
  /^ {0,12}(?:Passed|Failed)! {1,2}- Failed: {1,8}\d/,
  /^ {0,12}(?:Total tests|Passed|Failed|Skipped): {1,8}\d{1,7}$/,
  /^ {0,12}Test summary: total: \d/,
  /^ {0,12}\d{1,3}% tests passed, \d/,
  /^ {0,12}\[ {1,12}\d{1,7} tests (?:found|skipped|successful|failed) {1,12}\]/,
  /^ {0,12}\[ {2}(?:PASSED|FAILED) {2}\] \d{1,7} tests?\b/,
  /^ {0,12}Summary \[.{1,20}\] {1,4}\d/,
  /^ {0,12}Files=\d{1,7}, Tests=\d/,
  /^ {0,12}Executed \d{1,7} tests?, with \d/,
];
/** One expression: what it is made of is tried at one go. */
const TOTAL = new RegExp(TOTALS.map(({ source }) => source).join("|"));

const LIST_OF_FAILURES =
  /^ {0,12}(?:=+ short test summary info|Summary of all failing tests|⎯+ ?Failed |✖ failing tests:|(?:Failures|Failed tests):$|There (?:was|were) \d{1,7} (?:failure|error))/;
const LIST_OF_OTHERS = /^(?:Pending:|There (?:was|were) \d{1,7} \w|\d{1,7} tests? triggered )/;

/** A file of tests: of Jest, and of Vitest with how many it has. */
const FILE =
  /^ {0,4}(?:(?:PASS|FAIL) {1,2}\S{1,200}(?: \([\d.]{1,9} ?m?s\))?|[✓✔√❯✗×] (?:\|[^|]{1,40}\| )?\S{1,200} \(\d{1,7} tests?\b.{0,80})$/;
const FAILED_FILE = /^ {0,4}(?:FAIL|[❯✗×]) /;

const PASSED =
  /^ {0,12}(?:ok \d|[✓✔√]|--- PASS: |PASS |\(pass\) |Passed \S.{0,200} \[.{1,12}\]$|\[ {7}OK \] |\d{1,6}\/\d{1,6} Test +#\d{1,6}: .{0,200} Passed )|^test.{1,280} \.\.\. ok$/;
const FAILED =
  /^ {0,12}(?:not ok \d|--- FAIL: |\(fail\) |Failed \S.{0,200} \[.{1,12}\]$|\d{1,6}\/\d{1,6} Test +#\d{1,6}: .{0,200}\*\*\*\w)|^[ '+|│├└─-]{2,60}\S.{0,200} (?:✘|\[X\])(?: |$)|^test.{1,280} \.\.\. (?:FAILED|FAIL|ERROR)$/;
const MARKED = /^ {0,12}(?:[✗✕✖✘×]|FAIL \[|\[ {2}FAILED {2}\] \S)/;
const LISTED = /^ {0,12}(?:FAIL {1,2}\S|FAILED \S|ERROR \S{1,200}::)/;
const EXCUSED = / # (?:SKIP|TODO)\b/i;
/** What pytest writes behind the name of a test, whatever that begins with. */
const AFTER_NAME = /^(?:(PASSED)|FAILED)\b/;
const ERROR_AFTER_NAME = /^[^\s:]{1,150}::\S{1,150} ERROR\b/;
const MAX_NAME_CHARACTERS = 200;

/** What other lines of tests begin with, after blanks. */
const STARTS = new Set("0123456789#ℹ=[(|│├└'+-⎯✓✔√✗✕✖✘×❯EFOPRSTnot");
const PASSED_MARKS = new Set("✓✔√");

/** What a line says of tests; `undefined` for all else. */
export function testLineOf(line: string): TestLine | undefined {
  const first = line.trimStart()[0] ?? "";
  const said = PASSED_MARKS.has(first)
    ? passedOf(line)
    : STARTS.has(first)
      ? startOf(line)
      : undefined;
  const result = said ?? namedOf(line);
  return result !== undefined && EXCUSED.test(line) ? "excused" : result;
}

function startOf(line: string): TestLine | undefined {
  if (TOTAL.test(line)) return "total";
  if (LIST_OF_FAILURES.test(line)) return "list-of-failures";
  if (LIST_OF_OTHERS.test(line)) return "list-of-others";
  if (FAILED_FILE.test(line) && FILE.test(line)) return "failed-file";
  if (FAILED.test(line)) return "failed";
  if (MARKED.test(line)) return "marked";
  return LISTED.test(line) ? "listed" : passedOf(line);
}

function passedOf(line: string): TestLine | undefined {
  if (FILE.test(line)) return "passed-file";
  return PASSED.test(line) ? "passed" : undefined;
}

/** What stands behind the first word. */
function namedOf(line: string): TestLine | undefined {
  const end = line.indexOf(" ") + 1;
  if (end < 2 || end > MAX_NAME_CHARACTERS) return undefined;
  const code = line.charCodeAt(end);
  // An E, an F, a P.
  if (code !== 69 && code !== 70 && code !== 80) return undefined;
  if (ERROR_AFTER_NAME.test(line)) return "failed";
  const [said, passed] = AFTER_NAME.exec(line.slice(end, end + 8)) ?? [];
  return said === undefined ? undefined : passed === undefined ? "failed" : "passed";
}

const NUMBERED = /^ {0,40}(\d{1,6})\) \S/;
const NUMBERED_OTHER = /^ {0,40}\d{1,6}\) Skipped:/;
const NUMBERED_TOTAL = /\d failing\b|, Assertions: |\d (?:examples?|runs?),/;

/** The number before a failure, as Mocha, PHPUnit, RSpec and Minitest write it. */
export function numberOf(line: string): number | undefined {
  const number = NUMBERED.exec(line)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** Whether what is numbered is a test that was left out. */
export function isNumberedOther(line: string): boolean {
  return NUMBERED_OTHER.test(line);
}

/** Whether a line with how many there were is of a runner that numbers failures. */
export function isOfNumbered(total: string): boolean {
  return NUMBERED_TOTAL.test(total);
}
