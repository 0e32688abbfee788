import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { fetched } from "../../scripts/fetched.js";

/** Where the database is, and how to end it. */
export interface EmbeddedPostgres {
  readonly url: string;
  close(): Promise<void>;
}

/** What is used of `@electric-sql/pglite`, which is fetched for this example alone. */
interface PGlite {
  execProtocolRaw(message: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** PostgreSQL within this process, for clients that come one after another. */
export async function startEmbeddedPostgres(): Promise<EmbeddedPostgres> {
  const module = pathToFileURL(join(fetched("pglite"), "@electric-sql/pglite/dist/index.js"));
  const { PGlite }: { PGlite: { create(): Promise<PGlite> } } = await import(module.href);
  const database = await PGlite.create();
  const server: Server = createServer((socket) => {
    let waiting = Buffer.alloc(0);
    let isStarted = false;
    let work = Promise.resolve();
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk) => {
      waiting = Buffer.concat([waiting, Buffer.from(chunk)]);
      // A message is its type, but for the first one, and its length with four bytes for that.
      for (;;) {
        const head = isStarted ? 1 : 0;
        if (waiting.length < head + 4) return;
        const end = head + waiting.readUInt32BE(head);
        if (waiting.length < end) return;
        const message = waiting.subarray(0, end);
        waiting = waiting.subarray(end);
        isStarted = true;
        work = work.then(async () => void socket.write(await database.execProtocolRaw(message)));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    close: async () => {
      server.close();
      await database.close();
    },
  };
}
