/** The command `npm run eval`. */
import { setMaxListeners } from "node:events";

import { evaluate } from "./evaluate.js";

// Every step of a conversation listens to the signal of its run.
setMaxListeners(0);
const ending = new AbortController();
process.once("SIGINT", () => {
  process.stderr.write("\nEnding; press Ctrl-C again to leave at once.\n");
  ending.abort();
});
process.exitCode = await evaluate(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
  signal: ending.signal,
});
