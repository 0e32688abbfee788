import { grouped } from "../../../util/amounts.js";
import { plainText, shorten } from "../../../util/safe-text.js";
import type { OutlineEntry, OutlineReader } from "./outline.js";

const TOTAL = anyOf([
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
  /^ {0,12}Summary \[.{1,20}\] {1,4}\d/,
  /^ {0,12}Files=\d{1,7}, Tests=\d/,
  /^1\.\.\d{1,7}$/,
  /^(?:ok {2}\t\S|FAIL$)/,
]);
const FAILED = anyOf([
  /^ {0,12}not ok \d/,
  /^ {0,12}--- FAIL: /,
  /^ {0,12}[✗✕✖✘×] {0,3}(?!failing tests:)\S/,
  /^ {0,12}❯ \S{1,200} \(\d{1,7} tests? \| \d{1,7} failed/,
  /^ {0,12}FAIL(?::| \[|\t\S| {1,2}\S)/,
  /^ERROR: \w/,
  /^ {0,12}(?:FAILED|ERROR) \S{1,200}(?:::|\.py\b)/,
  /^ {0,12}\d{1,6}\) test \S/,
  /^ {0,12}[\w:]{1,80}#\w{1,80} \[[^\]]{1,200}:\d{1,6}\]:/,
  /^ {0,12}\(fail\) /,
]);
const NAMED = /::| \.\.\. | > /;
const BEHIND = / (?:FAIL|FAILED|ERROR)(?: {1,80}\[.{1,6}\])?$/;
const EXCUSED = / # (?:SKIP|TODO)\b/i;
const LIST_OF_FAILURES =
  /^ {0,12}(?:\d{1,7} failing|Failures:$|There (?:was|were) \d{1,7} (?:failure|error)s?:)/;
const LIST_OF_OTHERS = /^ {0,12}(?:Pending:|There (?:was|were) \d{1,7} |\d{1,7} tests? triggered )/;
const NUMBERED = /^ {0,12}\d{1,6}\) \S/;

const MAX_FAILURES = 300;
const MAX_TOTALS = 4;
const SHOWN_CHARACTERS = 110;
const END_CHARACTERS = 400;

function anyOf(all: readonly RegExp[]): RegExp {
  return new RegExp(all.map(({ source }) => source).join("|"));
}

/** Test runners print their totals last. */
export function endsWithTotals(text: string): boolean {
  const end = plainText(text.slice(-END_CHARACTERS));
  return end.split("\n").some((line) => TOTAL.test(line));
}

export function testReportReader(): OutlineReader {
  const lines: OutlineEntry[] = [];
  let totals: string[] = [];
  let [totalCount, failed] = [0, 0];
  let isList = false;

  return {
    take(line, number) {
      if (LIST_OF_FAILURES.test(line)) isList = true;
      else if (LIST_OF_OTHERS.test(line)) isList = false;
      const text = `${number}: ${shorten(line.trim(), SHOWN_CHARACTERS)}`;
      if (isFailure(line, isList)) {
        failed += 1;
        if (lines.length < MAX_FAILURES) lines.push({ text, rank: 1, weight: -number });
      } else if (TOTAL.test(line)) {
        totalCount += 1;
        totals = [...totals, text].slice(-MAX_TOTALS);
      }
    },
    outline() {
      if (totalCount === 0) return undefined;
      const more = `the last ${MAX_TOTALS} of ${grouped(totalCount)} lines with totals:`;
      return {
        facts: totalCount > MAX_TOTALS ? [more, ...totals] : totals,
        entries: lines,
        total: failed,
        noun: "lines of failures",
        hasLines: true,
      };
    },
  };
}

function isFailure(line: string, isInList: boolean): boolean {
  const isMarked = FAILED.test(line) || (NAMED.test(line) && BEHIND.test(line));
  return (isMarked || (isInList && NUMBERED.test(line))) && !EXCUSED.test(line);
}
