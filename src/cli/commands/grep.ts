import type { Command } from "../command.js";
import { DRILL_IN_OPTIONS, drillInto } from "../drill-into.js";

/** `grep`: what `grep_tool_output` answers. */
export const grep: Command = {
  help: `Usage: langchain-offload grep ID PATTERN [options]

Searches the lines of a stored output for a regular expression (RE2: no
lookaround, no backreferences). Hits are number:text, context is number-text.

Options:
  -i, --ignore-case    upper and lower case are the same
  -F, --literal        the pattern is plain text
  -v, --invert         lines that do not match
  -c, --count-only     only the number of lines
  -o, --only-matching  the texts that match, each once with its count
  --start-line N, --end-line N  search these lines; -1 is the last
  --last N             show the last N hits
  --skip N             leave out the first N hits
  -m, --max-results N  show at most N hits
  -B, --before N       show N lines before each hit
  -A, --after N        show N lines after each hit
  --max-tokens N       longest answer (2,000, as for a model)
  --timeout SECONDS    longest search (10)
  --directory DIR, --config FILE, --json, -h, --help

Exit codes: 0 found; 1 no line matches, or there is no such output; 2 wrong
usage, or a fault. A PATTERN that begins with - goes after --.
`,
  options: {
    "ignore-case": { type: "boolean", short: "i" },
    literal: { type: "boolean", short: "F" },
    invert: { type: "boolean", short: "v" },
    "count-only": { type: "boolean", short: "c" },
    "only-matching": { type: "boolean", short: "o" },
    "start-line": { type: "string" },
    "end-line": { type: "string" },
    last: { type: "string" },
    skip: { type: "string" },
    "max-results": { type: "string", short: "m" },
    before: { type: "string", short: "B" },
    after: { type: "string", short: "A" },
    ...DRILL_IN_OPTIONS,
  },
  operands: ["ID", "PATTERN"],
  run(given, surroundings) {
    const args = {
      pattern: given.operands[1],
      ignore_case: given.flag("ignore-case"),
      literal: given.flag("literal"),
      invert: given.flag("invert"),
      count_only: given.flag("count-only"),
      only_matching: given.flag("only-matching"),
      start_line: given.number("start-line"),
      end_line: given.number("end-line"),
      last: given.number("last", 1),
      skip: given.number("skip", 0),
      max_results: given.number("max-results", 1),
      before: given.number("before", 0),
      after: given.number("after", 0),
    };
    return drillInto("grep", args, given, surroundings);
  },
};
