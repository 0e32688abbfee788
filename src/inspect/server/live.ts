import type { ServerResponse } from "node:http";

import type { JournalReader } from "../../plugins/journal/index.js";
import type { Catalogue } from "../data/catalogue.js";
import { SAFE_HEADERS } from "./headers.js";
import { HttpFault } from "./http-fault.js";

/** Tells pages that something has happened: which sessions have new entries, and that the store has changed. */
export interface Live {
  /** Keeps an answer open. @throws {@link HttpFault} for too many. */
  join(response: ServerResponse): void;
  close(): void;
}

/** How often the store is looked at, and news are told, in milliseconds. */
const INTERVAL_MS = 1000;
const MAX_PAGES = 16;
/** A page that does not read for so long has gone. */
const MAX_WAITING_BYTES = 65_536;

/** Looks at nothing while no page is open. */
export function createLive(catalogue: Catalogue, journal: JournalReader | undefined): Live {
  const pages = new Set<ServerResponse>();
  let stopped: AbortController | undefined;
  let newest = "";

  function tell(event: string, data: unknown): void {
    for (const page of pages) {
      if (page.writableLength > MAX_WAITING_BYTES) page.destroy();
      else page.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    }
  }

  async function watchStore(): Promise<void> {
    const { artifacts, expired } = await catalogue.listing();
    const now = `${artifacts.length} ${expired.length} ${artifacts.at(-1)?.id}`;
    if (newest !== "" && newest !== now) tell("store", {});
    newest = now;
  }

  async function followJournal(signal: AbortSignal): Promise<void> {
    let sessions = new Set<string>();
    let timer: NodeJS.Timeout | undefined;
    const flush = (): void => {
      timer = undefined;
      tell("journal", { sessions: [...sessions] });
      sessions = new Set();
    };
    for await (const { session = "" } of journal?.follow({ signal }) ?? []) {
      sessions.add(session);
      timer ??= setTimeout(flush, INTERVAL_MS / 2).unref();
    }
    clearTimeout(timer);
  }

  function start(): void {
    const own = new AbortController();
    stopped = own;
    const look = async (): Promise<void> => {
      // What cannot be read now may be so the next time; the page's own questions tell of faults.
      await watchStore().catch(() => undefined);
      if (!own.signal.aborted) setTimeout(() => void look(), INTERVAL_MS).unref();
    };
    const follow = async (): Promise<void> => {
      await followJournal(own.signal).catch(() => undefined);
      if (!own.signal.aborted) setTimeout(() => void follow(), INTERVAL_MS).unref();
    };
    void look();
    if (journal !== undefined) void follow();
  }

  return {
    join(response) {
      if (pages.size >= MAX_PAGES) {
        throw new HttpFault(503, `At most ${MAX_PAGES} pages are kept up to date at once.`);
      }
      response.writeHead(200, { ...SAFE_HEADERS, "content-type": "text/event-stream" });
      response.write("event: hello\ndata: {}\n\n");
      pages.add(response);
      if (stopped === undefined) start();
      response.on("close", () => {
        pages.delete(response);
        if (pages.size > 0) return;
        stopped?.abort();
        stopped = undefined;
      });
    },
    close() {
      stopped?.abort();
      for (const page of pages) page.destroy();
    },
  };
}
