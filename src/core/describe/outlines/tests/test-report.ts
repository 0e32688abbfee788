import { grouped } from "../../../../util/amounts.js";
import { shorten } from "../../../../util/safe-text.js";
import type { Outline, OutlineEntry } from "../outline.js";
import type { LineReader } from "../text-parts.js";
import { isNumberedOther, isOfNumbered, numberOf, testLineOf } from "./test-lines.js";

interface Failure extends OutlineEntry {
  /** Whether only a number before it says that it is one. */
  readonly isNumbered: boolean;
}

// oxlint-disable-next-line no-control-regex -- what terminals read as a colour
const STYLE = /\u001b\[[\d;]{0,8}m/g;

const MIN_RESULTS = 3;
const MAX_FAILURES = 300;
const MAX_TOTALS = 4;
const SHOWN_CHARACTERS = 110;

/** Reads what a run of tests says: how many passed and failed, and where the failures are. */
export function testReportReader(): LineReader & { readonly outline: () => Outline | undefined } {
  const failures: Failure[] = [];
  let totals: string[] = [];
  let [totalCount, passed, failed, numbered, excused] = [0, 0, 0, 0, 0];
  let [passedFiles, failedFiles] = [0, 0];
  let hasNumbers = false;
  /** What the lines are that come: tests as they run, those that failed once more, those left out, or what follows it all. */
  let stage: "tests" | "failures" | "others" | "end" = "tests";
  /** Whether a failure of this run was told while it ran. */
  let isTold = false;
  let lastNumber = 0;

  function fail(line: string, number: number, isNumbered = false): void {
    if (isNumbered) numbered += 1;
    else failed += 1;
    const text = `${number}: ${shown(line)}`;
    if (failures.length < MAX_FAILURES)
      failures.push({ text, rank: 1, weight: -number, isNumbered });
  }

  function begin(): void {
    if (stage !== "end") return;
    stage = "tests";
    isTold = false;
    lastNumber = 0;
  }

  function list(of: "failures" | "others"): void {
    stage = of;
    lastNumber = 0;
  }

  function takeFailedFile(line: string, number: number): void {
    begin();
    if (stage === "failures" && failedFiles > 0) return;
    failedFiles += 1;
    failed -= 1;
    fail(line, number);
  }

  /** A failure that may have been told: in a list, or by a runner that says it again. */
  function takeMarked(line: string, number: number, isListed: boolean): void {
    if (isListed && isTold) return;
    fail(line, number);
    if (!isListed) isTold = true;
  }

  function takeNumbered(line: string, number: number): void {
    const own = numberOf(line);
    if (own === undefined || own !== lastNumber + 1) return;
    lastNumber = own;
    const isOther = stage === "others" || isNumberedOther(line);
    if (!isOther && !(stage === "failures" && isTold)) fail(line, number, true);
  }

  return {
    take(styled, number) {
      const line = styled.includes("\u001b") ? styled.replaceAll(STYLE, "") : styled;
      switch (testLineOf(line)) {
        case "total":
          totalCount += 1;
          totals = [...totals, `${number}: ${shown(line)}`].slice(-MAX_TOTALS);
          hasNumbers ||= isOfNumbered(line);
          stage = "end";
          break;
        case "passed":
          begin();
          passed += 1;
          break;
        case "failed":
          begin();
          takeMarked(line, number, false);
          break;
        case "marked":
          takeMarked(line, number, stage !== "tests");
          break;
        case "listed":
          takeMarked(line, number, true);
          break;
        case "excused":
          excused += 1;
          break;
        case "passed-file":
          begin();
          passedFiles += 1;
          break;
        case "failed-file":
          takeFailedFile(line, number);
          break;
        case "list-of-failures":
          list("failures");
          break;
        case "list-of-others":
          list("others");
          break;
        default:
          takeNumbered(line, number);
      }
    },
    outline() {
      const files = passedFiles + failedFiles;
      const allFailed = failed + failedFiles + (hasNumbers ? numbered : 0);
      const results = passed + passedFiles + allFailed;
      if (results === 0) return undefined;
      if (totalCount === 0 && (passed + passedFiles === 0 || results + excused < MIN_RESULTS))
        return undefined;
      const counts = [
        ...(passed + failed === 0
          ? []
          : [`lines of tests: ${countsText(passed, failed, numbered > 0)}`]),
        ...(files === 0 ? [] : [`lines of test files: ${countsText(passedFiles, failedFiles)}`]),
      ];
      const more =
        totalCount > MAX_TOTALS
          ? [`the last ${MAX_TOTALS} of ${grouped(totalCount)} lines of totals:`]
          : [];
      return {
        facts: totalCount === 0 ? counts : [...more, ...totals],
        entries: failures.filter(({ isNumbered }) => hasNumbers || !isNumbered),
        total: allFailed,
        noun: failedFiles > 0 ? "lines of failures" : "failures",
        hasLines: true,
      };
    },
  };
}

/** @param mayHaveFailed - Whether there are lines that may be of failures: none is then not told. */
function countsText(passed: number, failed: number, mayHaveFailed = false): string {
  return [
    ...(passed === 0 ? [] : [`${grouped(passed)} passed`]),
    ...(failed === 0 && mayHaveFailed ? [] : [`${grouped(failed)} failed`]),
  ].join(", ");
}

function shown(line: string): string {
  return shorten(line.trim(), SHOWN_CHARACTERS);
}
