import type { Command } from "../command.js";
import { jsonLine } from "../print/json-line.js";
import { printable } from "../print/printable.js";
import { readInput } from "../seat/input-file.js";
import { outputJsonOf, outputLine } from "../seat/print-seat.js";
import { openSeat } from "../../seat/seat.js";
import { SEAT_OPTIONS, givenSeatOptions } from "../seat/seat-options.js";

/** `describe`: what a model would see of a file. */
export const describe: Command = {
  help: `Usage: langchain-offload describe FILE [options]

Prints what a model would see of a file if a tool had returned it, and on
standard error its tokens beside those of the file. FILE may be - for standard
input. Nothing stays stored.

Options:
  --preset NAME   lro, atlatl, mcpagent, vectara or meta-cc; none by default
  --form FORM     auto (default), full, generic or bare; not for the last three
  --threshold N   tokens that stay as they are, in place of the preset's limit
  --json          print one JSON object
  -h, --help      print this help

Exit codes: 0 done; 2 wrong usage, or a fault.
`,
  options: SEAT_OPTIONS,
  operands: ["FILE"],
  async run(given, surroundings) {
    const { out, err } = surroundings;
    const file = await readInput(given.operands[0] ?? "", surroundings);
    const seat = await openSeat([file], (directory) =>
      givenSeatOptions(given, directory, surroundings),
    );
    try {
      for (const output of seat.outputs) {
        if (given.flag("json")) {
          await out.write(jsonLine(outputJsonOf(output)));
          continue;
        }
        const text = out.isTerminal ? printable(output.text) : output.text;
        await out.write(text.endsWith("\n") ? text : `${text}\n`);
        await err.write(`${outputLine(output)}\n`);
      }
    } finally {
      await seat.close();
    }
    return 0;
  },
};
