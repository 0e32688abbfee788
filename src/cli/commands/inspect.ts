import { once } from "node:events";
import { resolve } from "node:path";

import type { InspectedJournal } from "../../inspect/index.js";
import type { Command, Given } from "../command.js";
import { checkDirectory, DIRECTORY_OPTIONS, directoryOf, isThere } from "../directory.js";
import { jsonLine } from "../print/json-line.js";
import { printable } from "../print/printable.js";
import { wrongUsage } from "../wrong-usage.js";

const MAX_PORT = 65_535;
/** They ask the process to end. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** `inspect`: a page in a browser on this machine. */
export const inspect: Command = {
  help: `Usage: langchain-offload inspect [options]

Serves a page on this machine that shows what agents have stored and, with a
journal, what their models saw, what they read and never read, and how their
contexts grew. Open the address that it prints; it has a token, without which
every request is refused. The page stays up to date while agents run.

Options:
  --journal DIR    what the plug-in journal() writes; the page shows more with it
  --port N         port on 127.0.0.1 (0: any that is free)
  --directory DIR  where the outputs are
  --config FILE    a TOML file whose [prompt.offload] has output_dir
  --json           print one JSON object with the address
  -h, --help       print this help

It changes nothing, but removes expired outputs when you ask it to. Ctrl+C ends
it. Exit codes: 0 ended; 2 wrong usage, or a fault, such as a port in use.
`,
  options: {
    journal: { type: "string" },
    port: { type: "string" },
    ...DIRECTORY_OPTIONS,
  },
  operands: [],
  async run(given, surroundings) {
    const { out, err, now } = surroundings;
    const port = given.number("port", 0) ?? 0;
    if (port > MAX_PORT) throw wrongUsage(`--port is ${port}; the highest is ${MAX_PORT}.`);
    const directory = await directoryOf(given, surroundings);
    const journal = await journalOf(given);
    // One that agents will write is welcome too.
    if (journal !== undefined && !(await isThere(journal.name)))
      await err.write(
        `${printable(journal.name)} is not there yet: nothing has written a journal.\n`,
      );
    // Behind its own entry, which finds the page beside it.
    const { startInspector } = await import("../../inspect/index.js");
    const inspector = await startInspector({ directory, journal, port, now });
    const { address } = inspector;
    const ending = new AbortController();
    const end = (): void => ending.abort();
    for (const signal of SIGNALS) process.on(signal, end);
    try {
      await out.write(
        given.flag("json")
          ? jsonLine({ address, directory, journal: journal?.name })
          : `${address}\nOpen it in a browser on this machine. Ctrl+C ends it.\n`,
      );
      if (!ending.signal.aborted) await once(ending.signal, "abort");
    } finally {
      // A second signal ends the process at once. Without the address nobody can ask for the page.
      for (const signal of SIGNALS) process.off(signal, end);
      await inspector.close();
    }
    return 0;
  },
};

async function journalOf(given: Given): Promise<InspectedJournal | undefined> {
  const journal = given.text("journal");
  if (journal === undefined) return undefined;
  const name = resolve(journal);
  await checkDirectory(name);
  const { readJournal } = await import("../../plugins/journal/index.js");
  return { name, reader: readJournal(name) };
}
