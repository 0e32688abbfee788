import { readdirSync } from "node:fs";

import { fileJournal } from "../../../src/plugins/journal/writer.js";
import { stayed } from "./entries.js";

/** Appends batches of so many entries of some 1,000 bytes, each waited for, and prints how many segments there were at most. */
const [directory = "", ...batches] = process.argv.slice(2);
const journal = fileJournal({ directory });
let most = 0;
for (const entries of batches.map(Number)) {
  for (let count = 0; count < entries; count += 1) {
    journal.append({ ...stayed("s", 1, "t"), text: { text: "x".repeat(880) } });
  }
  await journal.flush?.();
  most = Math.max(most, readdirSync(directory).length);
}
process.stdout.write(String(most));
