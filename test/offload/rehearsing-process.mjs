/**
 * A process whose model has been called and whose tools have returned nothing yet: prints what it has read of the
 * tokenizer, kept and told, and how often its own tokenizer was asked. Arguments: folder, JSON of the options, tenths of a second that are waited for it
 * at most.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { setTimeout as wait } from "node:timers/promises";

const [directory, given = "{}", maxLooks] = process.argv.slice(2);
const read = [];
const { readFileSync } = fs;
fs.readFileSync = (path, ...rest) => {
  read.push(String(path));
  return readFileSync(path, ...rest);
};
syncBuiltinESMExports();

const { createOffloader, fileStore, offloadMiddleware } = await import("../../dist/index.js");
const { ownTokenizer, ...options } = JSON.parse(given);
const events = [];
let asked = 0;
const ask = () => (asked += 1);
const offloader = createOffloader({
  ...options,
  ...(ownTokenizer && { measure: { tokenizer: ask } }),
  store: fileStore({ directory }),
  onEvent: (event) => void events.push(event.type),
});
const { wrapModelCall } = offloadMiddleware({ offloader });
const runtime = { configurable: { thread_id: "thread" } };
const request = { messages: [], tools: [], state: { messages: [] }, runtime };
const hasTokenizer = () => read.some((path) => path.includes("o200k_base"));
await wrapModelCall(request, async () => {
  for (let looks = 0; looks < Number(maxLooks) && !hasTokenizer(); looks += 1) await wait(100);
  await wait(300);
});
console.log(
  JSON.stringify({
    tokenizer: hasTokenizer(),
    kept: fs.readdirSync(directory),
    events,
    seen: offloader.stats().outputsSeen,
    asked,
  }),
);
