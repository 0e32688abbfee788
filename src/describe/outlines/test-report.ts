import { shorten } from "../../util/safe-text.js";
import type { Outline, OutlineEntry } from "./outline.js";
import type { LineReader } from "./text-parts.js";
import { grouped } from "../../util/amounts.js";

/** How runners write a test that passed, one that failed, and what there was in all. */
const PASSED =
  /^ {0,12}(?:ok \d|✓|✔|√|--- PASS: |PASS )|^test \S{1,200} \.\.\. ok$|^\S{1,200} PASSED\b/;
const FAILED =
  /^ {0,12}(?:not ok \d|✗|✕|✖|×|--- FAIL: |FAIL {1,2}\S|FAILED \S|ERROR \S{1,200}::)|^test \S{1,200} \.\.\. FAILED$|^\S{1,200} FAILED\b/;
/** A file of tests: of Jest, and of Vitest with how many it has. */
const FILE =
  /^ {0,4}(?:(?:PASS|FAIL) {1,2}\S{1,200}(?: \([\d.]{1,9} ?m?s\))?|[✓✔√❯✗×] (?:\|[^|]{1,40}\| )?\S{1,200} \(\d{1,7} tests?\b.{0,80})$/;
const FAILED_FILE = /^ {0,4}(?:FAIL|[❯✗×]) /;
const IN_ALL =
  /^ {0,12}(?:Tests?:? {1,8}(?:\||\d)|Test (?:Files|Suites):? {1,8}\d|test result: |# (?:tests|pass|fail) \d|\d{1,7} (?:passing|failing|pending)\b|=+ .{0,80}\d (?:passed|failed|errors?)\b|Tests run: \d|OK \(|FAILED \()/;
// oxlint-disable-next-line no-control-regex -- what terminals read as a colour
const STYLE = /\u001b\[[\d;]{0,8}m/g;

const MIN_RESULTS = 3;
const MAX_FAILURES = 300;
const MAX_TOTALS = 4;
const SHOWN_CHARACTERS = 110;

/** Reads what a run of tests says: how many passed and failed, and where the failures are. */
export function testReportReader(): LineReader & { readonly outline: () => Outline | undefined } {
  const failures: OutlineEntry[] = [];
  let totals: string[] = [];
  let [passed, failed, passedFiles, failedFiles] = [0, 0, 0, 0];

  function fail(line: string, number: number): void {
    const text = `${number}: ${shown(line)}`;
    if (failures.length < MAX_FAILURES) failures.push({ text, rank: 1, weight: -number });
  }

  return {
    take(styled, number) {
      const line = styled.includes("\u001b") ? styled.replaceAll(STYLE, "") : styled;
      if (IN_ALL.test(line)) {
        totals = [...totals, `${number}: ${shown(line)}`].slice(-MAX_TOTALS);
      } else if (FILE.test(line)) {
        if (FAILED_FILE.test(line)) {
          failedFiles += 1;
          fail(line, number);
        } else passedFiles += 1;
      } else if (FAILED.test(line)) {
        failed += 1;
        fail(line, number);
      } else if (PASSED.test(line)) passed += 1;
    },
    outline() {
      const files = passedFiles + failedFiles;
      const tests = passed + failed;
      if (totals.length === 0 && (passed + passedFiles === 0 || tests + files < MIN_RESULTS))
        return undefined;
      if (tests + files === 0) return undefined;
      const counts = [
        ...(tests === 0 ? [] : [`lines of tests: ${results(passed, failed)}`]),
        ...(files === 0 ? [] : [`lines of test files: ${results(passedFiles, failedFiles)}`]),
      ];
      return {
        facts: [...counts, ...totals],
        entries: failures,
        total: failed + failedFiles,
        noun: "failures",
        hasLines: true,
      };
    },
  };
}

function results(passed: number, failed: number): string {
  return `${grouped(passed)} passed, ${grouped(failed)} failed`;
}

function shown(line: string): string {
  return shorten(line.trim(), SHOWN_CHARACTERS);
}
