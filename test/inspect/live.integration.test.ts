import type { ServerResponse } from "node:http";
import { PassThrough } from "node:stream";

import { afterEach, expect, it, vi } from "vitest";

import type { Catalogue } from "../../src/inspect/data/catalogue.js";
import { createLive } from "../../src/inspect/server/live.js";
import { memoryJournal } from "./memory-journal.js";

afterEach(() => vi.useRealTimers());

it("goes on following a journal that could not be read for a time", async () => {
  vi.useFakeTimers();
  const { reader } = memoryJournal();
  let tries = 0;
  const follow = async function* () {
    tries += 1;
    if (tries === 1) throw new Error("too many open files");
    yield { session: "a" };
    await new Promise(() => {});
  } as unknown as typeof reader.follow;
  const listing = async () => ({ artifacts: [], expired: [], unreadable: 0 });
  const live = createLive({ listing } as unknown as Catalogue, { ...reader, follow });
  const page = Object.assign(new PassThrough(), { writeHead: () => undefined });
  live.join(page as unknown as ServerResponse);
  await vi.advanceTimersByTimeAsync(3000);
  live.close();
  expect(String(page.read())).toContain('event: journal\ndata: {"sessions":["a"]}');
});
