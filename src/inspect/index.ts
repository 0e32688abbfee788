import { once } from "node:events";
import { fileURLToPath } from "node:url";

import type { JournalReader } from "../plugins/journal/index.js";
import { createBodies } from "./data/body.js";
import { createCatalogue } from "./data/catalogue.js";
import { createGuard } from "./server/guard.js";
import { createPageServer } from "./server/server.js";

export interface InspectorOptions {
  readonly directory: string;
  readonly journal?: JournalReader | undefined;
  readonly port: number;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly pageDirectory?: string;
}

export interface Inspector {
  readonly origin: string;
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Serves the page on 127.0.0.1 to clients with the token. Changes nothing.
 * @throws Error with the system's code, such as `EADDRINUSE`, when the port is unavailable.
 */
export async function startInspector(options: InspectorOptions): Promise<Inspector> {
  const { directory, journal, port, now } = options;
  const catalogue = createCatalogue(directory, now);
  const guard = createGuard();
  const parts = { catalogue, journal, bodies: createBodies(catalogue) };
  const page = options.pageDirectory ?? fileURLToPath(new URL("page", import.meta.url));
  const server = createPageServer(parts, guard, page);
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : port}`;
  return {
    origin,
    address: `${origin}/?token=${guard.token}`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
