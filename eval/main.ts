/** The command `npm run eval`. */
import { setMaxListeners } from "node:events";

import { byHand } from "./by-hand/by-hand.js";
import { evaluate } from "./evaluate.js";
import { isReplay, replayPlays } from "./replay/replay.js";
import { wholeDocuments } from "./whole/whole-documents.js";

// Every step of a conversation listens to the signal of its run.
setMaxListeners(0);
const ending = new AbortController();
process.once("SIGINT", () => {
  process.stderr.write("\nEnding; press Ctrl-C again to leave at once.\n");
  ending.abort();
});
const args = process.argv.slice(2);
const command = args.includes("--by-hand")
  ? byHand
  : args.includes("--whole-documents")
    ? wholeDocuments
    : isReplay(args)
      ? replayPlays
      : evaluate;
process.exitCode = await command(args, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  signal: ending.signal,
});
