import type { Command, Given } from "../command.js";
import { DRILL_IN_OPTIONS, drillInto } from "../drill-into.js";
import { readAll } from "../input/read-all.js";
import { wrongUsage } from "../wrong-usage.js";

/** Options by the arguments of `read_tool_output`. */
const PLACES: Readonly<Record<string, string>> = {
  start_line: "start-line",
  end_line: "end-line",
  start_record: "start-record",
  end_record: "end-record",
  start: "start",
  end: "end",
  start_character: "start-character",
};

/** `read`: what `read_tool_output` answers, or the whole output. */
export const read: Command = {
  help: `Usage: langchain-offload read ID [options]

Reads part of a stored output, and says how to read on. Lines and records count
from 1, characters from 0, negative numbers from the end.

Options:
  --start-line N, --end-line N      lines, both inclusive
  --start-record N, --end-record N  records, both inclusive
  --start N, --end N                characters, the end exclusive
  --start-character N               characters to skip in the first line
  --all                             everything as it is stored, and nothing else
  --max-tokens N                    longest answer (2,000, as for a model)
  --timeout SECONDS                 longest run (10)
  --directory DIR, --config FILE, --json, -h, --help

On a terminal control characters are shown as escapes; into a file or a pipe
--all writes the stored bytes.
Exit codes: 0 read; 1 there is no such output, or it has expired; 2 wrong usage,
or a fault.
`,
  options: {
    ...Object.fromEntries(
      Object.values(PLACES).map((option) => [option, { type: "string" } as const]),
    ),
    all: { type: "boolean" },
    ...DRILL_IN_OPTIONS,
  },
  operands: ["ID"],
  async run(given, surroundings) {
    const args = placesOf(given);
    if (!given.flag("all")) return await drillInto("read", args, given, surroundings);
    const [extra] = Object.keys(args);
    if (extra !== undefined)
      throw wrongUsage(`--all reads everything; leave --${PLACES[extra]} out.`);
    return await readAll(given, surroundings);
  },
};

function placesOf(given: Given): Readonly<Record<string, number>> {
  const places = Object.entries(PLACES).map(([name, option]) => [name, given.number(option)]);
  return Object.fromEntries(places.filter(([, value]) => value !== undefined));
}
