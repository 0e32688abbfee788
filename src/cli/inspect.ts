import { once } from "node:events";
import { resolve } from "node:path";

import { atSignals, type Call, type ExitCode } from "./call.js";
import { directoryOf, isDirectory } from "./find-output.js";

export async function inspect(call: Call): Promise<ExitCode> {
  const directory = await directoryOf(call);
  const { journal: given } = call.texts;
  const name = given && resolve(given);
  // One that does not exist yet is allowed.
  if (name !== undefined) await isDirectory(name);
  const { readJournal } = await import("../plugins/journal/index.js");
  // A separate build entry, which finds the page beside it.
  const { startInspector } = await import("../inspect/index.js");
  const inspector = await startInspector({
    directory,
    journal: name === undefined ? undefined : readJournal(name),
    port: call.numbers["port"] ?? 0,
    now: call.now,
  });
  const { address } = inspector;
  const ending = new AbortController();
  const ignoreSignals = atSignals(() => ending.abort());
  try {
    await call.out.write(`${address}\nOpen it in a browser on this machine. Ctrl+C ends it.\n`);
    if (!ending.signal.aborted) await once(ending.signal, "abort");
  } finally {
    // Without the printed address the page cannot be opened.
    ignoreSignals();
    await inspector.close();
  }
  return 0;
}
