import { stayed } from "./entries.js";
import { fileJournal } from "../../../src/plugins/journal/writer.js";

/** A process that writes a journal until it is killed. */
const [directory = "", session = ""] = process.argv.slice(2);
const journal = fileJournal({ directory });
let at = 0;
const append = (): void => {
  at += 1;
  journal.append(stayed(session, at, "x".repeat(200)));
};

append();
await journal.flush?.();
process.stdout.write("begun\n");
setInterval(() => {
  for (let count = 0; count < 20; count += 1) append();
}, 5);
