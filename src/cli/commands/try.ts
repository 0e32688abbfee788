import type { Command, ExitCode } from "../command.js";
import { readInput } from "../seat/input-file.js";
import { openSeat } from "../../seat/seat.js";
import { SEAT_OPTIONS, givenSeatOptions } from "../seat/seat-options.js";
import { sitDown } from "../seat/sit-down.js";
import { wrongUsage } from "../wrong-usage.js";

/** `try`: a person in the model's place. */
export const tryOut: Command = {
  help: `Usage: langchain-offload try FILE [FILE]... [options]

Puts you into the model's place: files as if tools had returned them, the tools
that a model has, answers as it gets them, tokens as it pays. Calls are read
from standard input, one a line:

  jq_tool_output {"id": "...", "filter": "length"}
  jq length        the same of the first file, for tools with one argument
  help, exit       the tools and their arguments; the end

Options:
  --preset NAME   lro, atlatl, mcpagent, vectara or meta-cc; none by default
  --form FORM     auto (default), full, generic or bare; not for the last three
  --threshold N   tokens that stay as they are, in place of the preset's limit
  --json          one JSON object a line: tools and files, then answers
  -h, --help      print this help

Exit codes: 0 done; 2 wrong usage, or a fault.
`,
  options: SEAT_OPTIONS,
  operands: ["FILE"],
  takesMore: true,
  async run(given, surroundings): Promise<ExitCode> {
    if (given.operands.includes("-")) {
      throw wrongUsage("Calls come from standard input, so FILE cannot.");
    }
    const files = [];
    for (const path of given.operands) files.push(await readInput(path, surroundings));
    const seat = await openSeat(files, (directory) =>
      givenSeatOptions(given, directory, surroundings),
    );
    try {
      await sitDown(seat, given.flag("json"), surroundings);
    } finally {
      await seat.close();
    }
    return 0;
  },
};
