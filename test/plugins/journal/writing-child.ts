import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { readJournal } from "../../../src/plugins/journal/index.js";
import { stayed } from "./entries.js";
import { fileJournal } from "../../../src/plugins/journal/writer.js";

/** A process that writes a journal: `endless` until it is killed, `full` on a disk that has no room for a while. */
const [directory = "", session = "", mode = ""] = process.argv.slice(2);
const journal = fileJournal({ directory });
let at = 0;
const append = (): void => {
  at += 1;
  journal.append(stayed(session, at, "x".repeat(200)));
};

if (mode === "endless") {
  append();
  await journal.flush?.();
  process.stdout.write("begun\n");
  setInterval(() => {
    for (let count = 0; count < 20; count += 1) append();
  }, 5);
} else {
  const filler = join(directory, "filler");
  append();
  await journal.flush?.();
  try {
    for (;;) writeFileSync(filler, Buffer.alloc(65_536), { flag: "a" });
  } catch {
    // No room is left.
  }
  for (let count = 0; count < 2_000; count += 1) append();
  await journal.flush?.();
  rmSync(filler);
  await new Promise((done) => setTimeout(done, 1_200));
  append();
  await journal.flush?.();
  const reader = readJournal(directory);
  const { entries } = (await reader.session(session)) ?? { entries: 0 };
  process.stdout.write(JSON.stringify({ appended: at, entries, ...(await reader.losses()) }));
}
