import { once } from "node:events";
import { fileURLToPath } from "node:url";

import type { JournalReader } from "../plugins/journal/index.js";
import { createAsking } from "./data/ask.js";
import { createCatalogue } from "./data/catalogue.js";
import { createFolds } from "./data/fold.js";
import { createBodies } from "./data/output.js";
import { createAssets } from "./server/assets.js";
import { createGuard } from "./server/guard.js";
import { createLive } from "./server/live.js";
import { createPageServer } from "./server/server.js";

/** What is looked at, and where the page is. */
export interface InspectorOptions {
  /** Of a file store. One that does not exist is empty. */
  readonly directory: string;
  /** Without one the page shows what the store has. */
  readonly journal?: InspectedJournal | undefined;
  /** 0 for any that is free. */
  readonly port: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Where the build has put the page. */
  readonly pageDirectory?: string;
}

/** A journal, and what a person calls it. */
export interface InspectedJournal {
  readonly name: string;
  readonly reader: JournalReader;
}

/** A page that is being served. */
export interface Inspector {
  /** Without the token: it is refused. */
  readonly origin: string;
  /** With the token, for one person's browser. */
  readonly address: string;
  readonly token: string;
  close(): Promise<void>;
}

/**
 * Serves the page on 127.0.0.1 to whoever has the token. Changes nothing but that it removes what has expired, when asked to.
 *
 * @throws Error with the code `EADDRINUSE` or another of the system when the port cannot be had.
 */
export async function startInspector(options: InspectorOptions): Promise<Inspector> {
  const { directory, port, now } = options;
  const journal = options.journal?.reader;
  const catalogue = createCatalogue(directory, now);
  const guard = createGuard();
  const live = createLive(catalogue, journal);
  const asking = createAsking(catalogue, now);
  const server = createPageServer({
    catalogue,
    journal,
    journalName: options.journal?.name,
    folded: journal && createFolds(journal, catalogue.toolOf),
    bodies: createBodies(catalogue),
    asking,
    now,
    guard,
    live,
    asset: createAssets(options.pageDirectory ?? fileURLToPath(new URL("page", import.meta.url))),
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  // The first look at a large directory takes the longest; what is wrong with it the page will say.
  await catalogue.listing().catch(() => undefined);
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : port}`;
  return {
    origin,
    address: `${origin}/?token=${guard.token}`,
    token: guard.token,
    async close() {
      live.close();
      server.close();
      server.closeAllConnections();
      await asking.close();
    },
  };
}
